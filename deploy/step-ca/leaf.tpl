{
  "subject": {{ toJson .Subject }},
  "sans": {{ toJson .SANs }},
  "keyUsage": ["digitalSignature"],
  "extKeyUsage": [{{ if hasPrefix "node-" .Subject.CommonName }}"clientAuth"{{ else }}"serverAuth"{{ end }}]
}
