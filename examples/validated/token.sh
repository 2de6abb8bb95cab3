# Answers the external inputs `acme.*`. A real one would ask a vault about what it reads from standard input.
cat > /dev/null
echo '{ "value": "not-a-real-token" }'
