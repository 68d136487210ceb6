{{- /* What every pod has: no token of Kubernetes, no root, nothing that the kernel's default profile forbids. Takes (list CONTEXT UID COMPONENT-VALUES). */ -}}
{{- define "enhance.pod" -}}
{{- $root := index . 0 -}}
{{- $component := index . 2 -}}
serviceAccountName: {{ include "enhance.name" $root }}
automountServiceAccountToken: false
enableServiceLinks: false
# The pod's own process 1 takes up orphans that ended, like `init: true` of docker-compose.yml.
shareProcessNamespace: true
securityContext:
  runAsNonRoot: true
  runAsUser: {{ index . 1 }}
  runAsGroup: {{ index . 1 }}
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $component.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $component.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $component.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "enhance.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- /* One variable from the Secret. Takes (list CONTEXT NAME). */ -}}
{{- define "enhance.secret" -}}
- name: {{ index . 1 }}
  valueFrom: { secretKeyRef: { name: {{ (index . 0).Values.secrets.existingSecret }}, key: {{ index . 1 }} } }
{{- end }}

{{- /* The environment of API and worker beside the ConfigMap. */ -}}
{{- define "enhance.secretEnvironment" -}}
{{- $names := concat (list "KEY_PEPPER" "SIGNING_SECRET" "TRITON_ADMIN_SECRET") .Values.secrets.optional }}
{{- if not .Values.redis.internal.enabled }}
{{- $names = append $names "REDIS_URL" }}
{{- end }}
{{- range $names }}
{{- if $.Values.secrets.asFiles }}
- { name: {{ . }}_FILE, value: /run/secrets/enhance/{{ . }} }
{{- else }}
{{ include "enhance.secret" (list $ .) }}
{{- end }}
{{- end }}
{{- if .Values.redis.internal.enabled }}
{{ include "enhance.secret" (list . "REDIS_PASSWORD") }}
- name: REDIS_URL
  value: redis://:$(REDIS_PASSWORD)@{{ include "enhance.name" . }}-redis:6390
{{- end }}
{{- with .Values.provenance.certificateSecret }}
- name: PROVENANCE_CERTIFICATE
  valueFrom: { secretKeyRef: { name: {{ . }}, key: tls.crt } }
- name: PROVENANCE_PRIVATE_KEY
  valueFrom: { secretKeyRef: { name: {{ . }}, key: tls.key } }
{{- end }}
{{- if and (eq .Values.storage.kind "s3") .Values.storage.s3.credentialsSecret }}
{{- $secret := .Values.storage.s3.credentialsSecret }}
{{- range list "S3_ACCESS_KEY_ID" "S3_SECRET_ACCESS_KEY" }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ . }} } }
{{- end }}
{{- end }}
{{- end }}

{{- /* Where API and worker may write: files, models and /tmp. */ -}}
{{- define "enhance.serviceMounts" -}}
- { name: files, mountPath: /data }
- { name: models, mountPath: /models }
- { name: tmp, mountPath: /tmp }
{{- if .Values.secrets.asFiles }}
- { name: secrets, mountPath: /run/secrets/enhance, readOnly: true }
{{- end }}
{{- end }}

{{- define "enhance.serviceVolumes" -}}
- name: files
  {{- if eq .Values.storage.kind "s3" }}
  emptyDir: { sizeLimit: {{ .Values.worker.scratchSize }} }
  {{- else }}
  persistentVolumeClaim: { claimName: {{ include "enhance.filesClaim" . }} }
  {{- end }}
- name: models
  persistentVolumeClaim: { claimName: {{ include "enhance.modelsClaim" . }} }
- name: tmp
  emptyDir: { medium: Memory, sizeLimit: 64Mi }
{{- if .Values.secrets.asFiles }}
- name: secrets
  secret: { secretName: {{ .Values.secrets.existingSecret }}, defaultMode: 0440 }
{{- end }}
{{- end }}
