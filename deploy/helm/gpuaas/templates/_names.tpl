{{/* The table that npm run gen writes from the processes and their settings. */}}
{{- define "gpuaas.table" -}}
{{ .Files.Get "files/processes.json" }}
{{- end }}

{{- define "gpuaas.selector" -}}
app.kubernetes.io/name: gpuaas
app.kubernetes.io/instance: {{ .release }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "gpuaas.labels" -}}
{{ include "gpuaas.selector" . }}
app.kubernetes.io/version: {{ .version | quote }}
app.kubernetes.io/managed-by: Helm
{{- end }}

{{- define "gpuaas.image" -}}
{{- required "image.repository is missing: where the image of npm run package was pushed to" .Values.image.repository -}}
@{{- required "image.digest is missing: the sha256 that npm run package printed" .Values.image.digest -}}
{{- end }}

{{/* The account of the image; it can write to /tmp alone. */}}
{{- define "gpuaas.podSecurity" -}}
runAsNonRoot: true
runAsUser: 64738
runAsGroup: 64738
fsGroup: 64738
seccompProfile:
  type: RuntimeDefault
{{- end }}
{{- define "gpuaas.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Variables from a map; a value is text for a process, whatever it is here. */}}
{{- define "gpuaas.variables" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{/* Files that are no secrets, such as the root of step-ca. */}}
{{- define "gpuaas.files" -}}
{{- with .Values.files }}
- name: files
  configMap:
    name: {{ . }}
{{- end }}
{{- end }}
{{- define "gpuaas.filesMount" -}}
{{- if .Values.files }}
- name: files
  mountPath: /etc/gpuaas
  readOnly: true
{{- end }}
{{- end }}
