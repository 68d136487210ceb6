{{- define "enhance.name" -}}
{{- printf "%s-enhance" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- /* The labels by which pods of one component are found. Takes (list CONTEXT COMPONENT). */ -}}
{{- define "enhance.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: enhance
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "enhance.labels" -}}
{{- $root := index . 0 -}}
{{ include "enhance.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version }}
{{- end }}

{{- define "enhance.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "enhance.filesClaim" -}}
{{ .Values.storage.disk.existingClaim | default (printf "%s-files" (include "enhance.name" .)) }}
{{- end }}

{{- define "enhance.modelsClaim" -}}
{{ .Values.models.existingClaim | default (printf "%s-models" (include "enhance.name" .)) }}
{{- end }}
