{
  "subject": {{ toJson .Subject }},
  "sans": {{ toJson .SANs }},
  "keyUsage": ["digitalSignature"],
  "extKeyUsage": [{{ if hasPrefix "node-" .Subject.CommonName }}"clientAuth"{{ else if hasPrefix "process-" .Subject.CommonName }}"clientAuth", "serverAuth"{{ else }}"serverAuth"{{ end }}]
}
