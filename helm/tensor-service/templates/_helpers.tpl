{{/* Names and labels. */}}

{{- define "tensor-service.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "tensor-service.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{- $name := include "tensor-service.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "tensor-service.peers" -}}
{{ include "tensor-service.fullname" . }}-peers
{{- end }}

{{- define "tensor-service.instance" -}}
app.kubernetes.io/name: {{ include "tensor-service.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "tensor-service.selector" -}}
{{ include "tensor-service.instance" . }}
app.kubernetes.io/component: node
{{- end }}

{{- define "tensor-service.labels" -}}
{{ include "tensor-service.instance" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ include "tensor-service.map" . }}
{{- end }}
{{- end }}

{{/* The namespace is always said, so that "helm template | kubectl apply" does what "helm install" does. */}}
{{- define "tensor-service.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "tensor-service.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ default "node" .component }}
{{- end }}

{{- define "tensor-service.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "tensor-service.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end }}

{{- define "tensor-service.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end }}

{{/* Values of any shape. Numbers of values files are floating-point numbers to Helm, which prints 1000000 as 1e+06. */}}

{{- define "tensor-service.scalar" -}}
{{- if kindIs "string" . -}}
{{ . | quote }}
{{- else if kindIs "invalid" . -}}
null
{{- else if and (kindIs "float64" .) (eq . (floor .)) -}}
{{ int64 . }}
{{- else if kindIs "float64" . -}}
{{ printf "%f" . | trimSuffix "0" | trimSuffix "0" | trimSuffix "0" | trimSuffix "0" }}
{{- else -}}
{{ . }}
{{- end -}}
{{- end }}

{{/* As JSON, which is YAML too. */}}
{{- define "tensor-service.json" -}}
{{- if kindIs "map" . -}}
{ {{- $first := true }}{{- range $key, $value := . }}{{ if not $first }}, {{ end }}{{ $first = false }}{{ $key | quote }}: {{ include "tensor-service.json" $value }}{{- end -}} }
{{- else if kindIs "slice" . -}}
[ {{- range $index, $value := . }}{{ if $index }}, {{ end }}{{ include "tensor-service.json" $value }}{{- end -}} ]
{{- else -}}
{{ include "tensor-service.scalar" . }}
{{- end -}}
{{- end }}

{{/* A map as YAML, one key a line. */}}
{{- define "tensor-service.map" -}}
{{- $first := true }}
{{- range $key, $value := . }}
{{- if not $first }}{{ printf "\n" }}{{ end }}
{{- $first = false }}
{{- if and (kindIs "map" $value) $value }}
{{- $key | quote }}:
{{- include "tensor-service.map" $value | nindent 2 }}
{{- else }}
{{- $key | quote }}: {{ include "tensor-service.json" $value }}
{{- end }}
{{- end }}
{{- end }}

{{/* A list as YAML, one entry a line. */}}
{{- define "tensor-service.list" -}}
{{- range $index, $value := . }}
{{- if $index }}{{ printf "\n" }}{{ end }}
{{- "- " }}{{ include "tensor-service.json" $value }}
{{- end }}
{{- end }}

{{/* Decisions that more than one file needs. */}}

{{- define "tensor-service.scheme" -}}
{{ eq .Values.tls.mode "off" | ternary "http" "https" }}
{{- end }}

{{- define "tensor-service.tlsSecret" -}}
{{- if eq .Values.tls.mode "existingSecret" -}}
{{ .Values.tls.existingSecret }}
{{- else -}}
{{ include "tensor-service.fullname" . }}-tls
{{- end -}}
{{- end }}

{{- define "tensor-service.authSecret" -}}
{{ default (printf "%s-auth" (include "tensor-service.fullname" .)) .Values.auth.existingSecret }}
{{- end }}

{{- define "tensor-service.user" -}}
{{- if kindIs "invalid" .Values.securityContext.runAsUser -}}
{{ eq .Values.memlock.mode "capability" | ternary 0 65532 }}
{{- else -}}
{{ int64 .Values.securityContext.runAsUser }}
{{- end -}}
{{- end }}

{{- define "tensor-service.group" -}}
{{- if kindIs "invalid" .Values.securityContext.runAsGroup -}}
{{ eq .Values.memlock.mode "capability" | ternary 0 65532 }}
{{- else -}}
{{ int64 .Values.securityContext.runAsGroup }}
{{- end -}}
{{- end }}

{{/* Names that a certificate must hold: pods, the services, and yours. */}}
{{- define "tensor-service.dnsNames" -}}
{{- $full := include "tensor-service.fullname" . -}}
{{- $names := list -}}
{{- range $service := list (printf "*.%s-peers" $full) (printf "%s-peers" $full) $full -}}
{{- $base := printf "%s.%s.svc" $service $.Release.Namespace -}}
{{- $names = concat $names (list (printf "%s.%s" $base $.Values.clusterDomain) $base) -}}
{{- end -}}
{{- concat $names (list $full "localhost") .Values.tls.extraNames | uniq | toJson -}}
{{- end }}

{{/* Requests and limits are the same, so that the pod is Guaranteed. */}}
{{- define "tensor-service.resources" -}}
cpu: {{ int64 .Values.resources.cpu | toString | quote }}
memory: {{ .Values.resources.memory | quote }}
ephemeral-storage: {{ .Values.resources.tmp | quote }}
{{- if .Values.rdma.enabled }}
{{ .Values.rdma.resourceName }}: {{ int64 .Values.rdma.count | toString | quote }}
{{- end }}
{{- if .Values.gpu.enabled }}
{{ .Values.gpu.resourceName }}: {{ int64 .Values.gpu.count | toString | quote }}
{{- end }}
{{- if .Values.hugepages.enabled }}
hugepages-{{ .Values.hugepages.size }}: {{ .Values.hugepages.amount | quote }}
{{- end }}
{{- end }}

{{- define "tensor-service.jvmOptions" -}}
{{- $options := list (printf "-Xmx%s" .Values.jvm.heap) (printf "-Xms%s" .Values.jvm.heap) -}}
{{- $options = concat $options (list "-XX:+ExitOnOutOfMemoryError" "-Dsun.net.inetaddr.ttl=5" "-Dsun.net.inetaddr.negative.ttl=2") -}}
{{- if .Values.hugepages.enabled -}}
{{- $options = concat $options (list "-XX:+UseLargePages" (printf "-XX:LargePageSizeInBytes=%s" (eq .Values.hugepages.size "1Gi" | ternary "1g" "2m"))) -}}
{{- end -}}
{{- concat $options .Values.jvm.options | join " " -}}
{{- end }}

{{/* Contradictions that the schema cannot see. */}}
{{- define "tensor-service.check" -}}
{{- if and .Values.rdma.enabled .Values.gpu.enabled (eq .Values.rdma.resourceName .Values.gpu.resourceName) -}}
{{- fail "rdma.resourceName and gpu.resourceName are the same resource" -}}
{{- end -}}
{{- $ports := list (int64 .Values.ports.rest) (int64 .Values.ports.management) (int64 .Values.ports.data) -}}
{{- if ne (len (uniq $ports)) 3 -}}
{{- fail "ports.rest, ports.management and ports.data must differ" -}}
{{- end -}}
{{- if and .Values.podDisruptionBudget.enabled (kindIs "invalid" .Values.podDisruptionBudget.maxUnavailable) (kindIs "invalid" .Values.podDisruptionBudget.minAvailable) -}}
{{- fail "podDisruptionBudget needs maxUnavailable or minAvailable" -}}
{{- end -}}
{{- end }}
