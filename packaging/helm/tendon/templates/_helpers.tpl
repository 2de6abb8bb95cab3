{{- define "tendon.name" -}}
{{- printf "%s-tendon" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "tendon.labels" -}}
app.kubernetes.io/name: tendon
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
