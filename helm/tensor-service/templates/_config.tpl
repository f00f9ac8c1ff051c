{{/* application.yaml of the pods, without what config adds. */}}
{{- define "tensor-service.config" -}}
spring:
  lifecycle:
    timeout-per-shutdown-phase: {{ int64 .Values.shutdown.phaseSeconds }}s
  config:
    import: configtree:/etc/tensor-service/secret/
{{- if ne .Values.tls.mode "off" }}
  ssl:
    bundle:
      pem:
        fabric:
          reload-on-update: true
          keystore:
            certificate: /etc/tensor-service/tls/tls.crt
            private-key: /etc/tensor-service/tls/tls.key
          truststore:
            certificate: /etc/tensor-service/tls/ca.crt
{{- end }}
server:
  port: {{ int64 .Values.ports.rest }}
  shutdown: graceful
{{- if ne .Values.tls.mode "off" }}
  ssl:
    bundle: fabric
{{- end }}
management:
  server:
    port: {{ int64 .Values.ports.management }}
{{- if ne .Values.tls.mode "off" }}
    ssl:
      enabled: false
{{- end }}
fabric:
  node-id: ${POD_NAME}
  provider: {{ .Values.rdma.enabled | ternary "verbs" "soft" }}
{{- if .Values.rdma.enabled }}
{{- with .Values.rdma.device }}
  device: {{ . | quote }}
{{- end }}
{{- if not (kindIs "invalid" .Values.rdma.port) }}
  port: {{ int64 .Values.rdma.port }}
{{- end }}
{{- if not (kindIs "invalid" .Values.rdma.gidIndex) }}
  gid-index: {{ int64 .Values.rdma.gidIndex }}
{{- end }}
  connection:
    link:
      traffic-class: {{ int64 .Values.rdma.trafficClass }}
{{- else }}
  soft:
    bind-address: "0.0.0.0"
    advertised-address: ${POD_IP}
    port: {{ int64 .Values.ports.data }}
{{- end }}
  memory:
    host:
      max-size: {{ include "tensor-service.scalar" .Values.memory.poolSize }}
      slab-size: {{ include "tensor-service.scalar" .Values.memory.slabSize }}
{{- if .Values.gpu.enabled }}
    gpu:
      max-size: {{ include "tensor-service.scalar" .Values.gpu.poolSize }}
  gpu:
    direct: {{ .Values.gpu.direct | quote }}
{{- else }}
  gpu:
    enabled: false
{{- end }}
  landing:
    zone-size: {{ include "tensor-service.scalar" .Values.memory.zoneSize }}
    memory: {{ .Values.gpu.enabled | ternary .Values.gpu.landing "host" }}
  discovery:
    refresh-interval: {{ .Values.discovery.refreshInterval }}
    dns:
      - service: {{ include "tensor-service.peers" . }}.{{ .Release.Namespace }}.svc
        port-name: {{ include "tensor-service.scheme" . }}
{{- range .Values.discovery.dns }}
      - service: {{ .service | quote }}
{{- with .portName }}
        port-name: {{ . | quote }}
{{- end }}
{{- if .port }}
        port: {{ int64 .port }}
{{- end }}
{{- with .scheme }}
        scheme: {{ . }}
{{- end }}
{{- end }}
{{- if .Values.discovery.peers }}
  peers:
{{- range .Values.discovery.peers }}
    - name: {{ .name | quote }}
      url: {{ .url | quote }}
{{- end }}
{{- end }}
{{- if eq .Values.tls.mode "off" }}
  security:
    allow-plaintext: true
{{- else }}
  negotiation:
    ssl:
      bundle: fabric
{{- end }}
{{- end }}
