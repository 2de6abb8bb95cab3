//! The resource types of Kubernetes, by name: enough to tell a misspelt one where there are no types.

use super::TypeReference;

/// Resources of Kubernetes that are known by name: the group, the kinds, and the version.
const KUBERNETES: &[(&str, &str, &str)] = &[
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration ValidatingWebhookConfiguration", "v1"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", "v1"),
    ("apiregistration.k8s.io", "APIService", "v1"),
    ("apps", "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet", "v1"),
    ("authentication.k8s.io", "TokenReview", "v1"),
    (
        "authorization.k8s.io",
        "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
        "v1",
    ),
    ("autoscaling", "HorizontalPodAutoscaler", "v1"),
    ("autoscaling", "HorizontalPodAutoscaler", "v2"),
    ("batch", "CronJob Job", "v1"),
    ("certificates.k8s.io", "CertificateSigningRequest", "v1"),
    ("coordination.k8s.io", "Lease", "v1"),
    (
        "core",
        "Binding ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod \
         PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount",
        "v1",
    ),
    ("discovery.k8s.io", "EndpointSlice", "v1"),
    ("events.k8s.io", "Event", "v1"),
    ("networking.k8s.io", "Ingress IngressClass NetworkPolicy", "v1"),
    ("node.k8s.io", "RuntimeClass", "v1"),
    ("policy", "PodDisruptionBudget", "v1"),
    ("rbac.authorization.k8s.io", "ClusterRole ClusterRoleBinding Role RoleBinding", "v1"),
    ("scheduling.k8s.io", "PriorityClass", "v1"),
    ("storage.k8s.io", "CSIDriver CSINode StorageClass VolumeAttachment", "v1"),
];

/// Tells whether a resource type of Kubernetes is known.
#[must_use]
pub(crate) fn is_kubernetes(reference: &TypeReference) -> bool {
    let Some((group, kind)) = reference.name.split_once('/') else { return false };
    KUBERNETES.iter().any(|(known, kinds, version)| {
        known.eq_ignore_ascii_case(group)
            && Some(*version) == reference.version.as_deref()
            && kinds.split_whitespace().any(|known| known.eq_ignore_ascii_case(kind))
    })
}
