package web

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"net"
	"strings"
)

// names are a distinguished name, part by part, each of one or more pairs of a short name and a value.
type names [][][2]string

// shortNames are OpenSSL's names of what stands in a distinguished name.
var shortNames = map[string]string{
	"2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.9": "street",
	"2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.12": "title", "2.5.4.13": "description", "2.5.4.15": "businessCategory", "2.5.4.17": "postalCode",
	"2.5.4.41": "name", "2.5.4.42": "GN", "2.5.4.43": "initials", "2.5.4.44": "generationQualifier", "2.5.4.46": "dnQualifier",
	"2.5.4.65": "pseudonym", "2.5.4.97": "organizationIdentifier", "1.2.840.113549.1.9.1": "emailAddress", "1.2.840.113549.1.9.2": "unstructuredName",
	"0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID",
	"1.3.6.1.4.1.311.60.2.1.1": "jurisdictionL", "1.3.6.1.4.1.311.60.2.1.2": "jurisdictionST", "1.3.6.1.4.1.311.60.2.1.3": "jurisdictionC",
}

func namesOf(der []byte) (names, error) {
	var sequence pkix.RDNSequence
	if _, err := asn1.Unmarshal(der, &sequence); err != nil {
		return nil, err
	}
	var out names
	for _, set := range sequence {
		var part [][2]string
		for _, attribute := range set {
			name, known := shortNames[attribute.Type.String()]
			if !known {
				name = attribute.Type.String()
			}
			part = append(part, [2]string{name, fmt.Sprint(attribute.Value)})
		}
		out = append(out, part)
	}
	return out, nil
}

// text has a line for each part.
func (n names) text() string {
	var lines []string
	for _, part := range n {
		var pairs []string
		for _, pair := range part {
			pairs = append(pairs, pair[0]+"="+escapedName(pair[1]))
		}
		lines = append(lines, strings.Join(pairs, " + "))
	}
	return strings.Join(lines, "\n")
}

func (n names) pairs() (out [][2]string) {
	for _, part := range n {
		out = append(out, part...)
	}
	return out
}

// escapedName escapes a value as RFC 2253 says, and control characters by their number.
func escapedName(value string) string {
	var b strings.Builder
	for i := range len(value) {
		switch c := value[i]; {
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%02X`, c)
			continue
		case strings.IndexByte(`,+"\<>;`, c) >= 0, i == 0 && (c == '#' || c == ' '), i == len(value)-1 && c == ' ':
			b.WriteByte('\\')
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

// generalNames are the names of a SubjectAltName extension, as node writes them.
func generalNames(der []byte) (out []string) {
	var sequence []asn1.RawValue
	if _, err := asn1.Unmarshal(der, &sequence); err != nil {
		return nil
	}
	for _, name := range sequence {
		out = append(out, generalName(name))
	}
	return out
}

func generalName(name asn1.RawValue) string {
	if name.Class != asn1.ClassContextSpecific {
		return "<invalid>"
	}
	switch name.Tag {
	case 1:
		return "email:" + altName(name.Bytes)
	case 2:
		return "DNS:" + altName(name.Bytes)
	case 4:
		parts, err := namesOf(name.Bytes)
		if err != nil {
			return "DirName:<invalid>"
		}
		return "DirName:" + altName([]byte(strings.ReplaceAll(parts.text(), "\n", ",")))
	case 6:
		return "URI:" + altName(name.Bytes)
	case 7:
		return "IP Address:" + address(name.Bytes)
	case 8:
		encoded := append([]byte{asn1.TagOID, byte(len(name.Bytes))}, name.Bytes...)
		var id asn1.ObjectIdentifier
		if _, err := asn1.Unmarshal(encoded, &id); err != nil {
			return "Registered ID:<invalid>"
		}
		return "Registered ID:" + id.String()
	case 3:
		return "X400Name:<unsupported>"
	case 5:
		return "EdiPartyName:<unsupported>"
	}
	return "othername:<unsupported>"
}

// altName quotes a name that could be taken for several.
func altName(name []byte) string {
	var b strings.Builder
	quoted := false
	for _, c := range name {
		switch {
		case c == '\\' || c == '"':
			quoted = true
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~' || c == ',':
			quoted = true
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			quoted = quoted || c == '\''
			b.WriteByte(c)
		}
	}
	if quoted {
		return `"` + b.String() + `"`
	}
	return b.String()
}

// address writes an IP address as OpenSSL does, without leaving out zeros.
func address(ip []byte) string {
	switch len(ip) {
	case net.IPv4len:
		return net.IP(ip).String()
	case net.IPv6len:
		var groups []string
		for i := 0; i < len(ip); i += 2 {
			groups = append(groups, fmt.Sprintf("%X", int(ip[i])<<8|int(ip[i+1])))
		}
		return strings.Join(groups, ":")
	}
	return "<invalid>"
}

// infoAccess has a line for each place of an AuthorityInfoAccess extension.
func infoAccess(der []byte) string {
	var sequence []struct {
		Method   asn1.ObjectIdentifier
		Location asn1.RawValue
	}
	if _, err := asn1.Unmarshal(der, &sequence); err != nil {
		return ""
	}
	var b strings.Builder
	for _, access := range sequence {
		method := access.Method.String()
		switch method {
		case "1.3.6.1.5.5.7.48.1":
			method = "OCSP"
		case "1.3.6.1.5.5.7.48.2":
			method = "CA Issuers"
		}
		fmt.Fprintf(&b, "%s - %s\n", method, generalName(access.Location))
	}
	return b.String()
}
