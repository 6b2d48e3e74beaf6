package web

//lint:file-ignore ST1005 programs read these texts as node's

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

// certificateOps are the ops of node/crypto_certificate.js. A certificate is its DER form.
func certificateOps() map[string]pureOp {
	return map[string]pureOp{
		"certificateRead":     certificateRead,
		"certificateDescribe": certificateDescribe,
		"certificateKey":      certificateKey,
		"certificateIssued":   certificateIssued,
		"certificateSigned":   certificateSigned,
		"certificateHasKey":   certificateHasKey,
		"spkacPart":           spkacPart,
		"ipBytes": func(args []any) (any, error) {
			ip := net.ParseIP(args[0].(string))
			switch four := ip.To4(); {
			case ip == nil:
				return nil, nil
			case four != nil:
				return []byte(four), nil
			}
			return []byte(ip), nil
		},
	}
}

// certificateRead takes PEM or DER and returns DER.
func certificateRead(args []any) (any, error) {
	data := args[0].([]byte)
	if block, _ := pem.Decode(data); block != nil && strings.HasSuffix(block.Type, "CERTIFICATE") {
		data = block.Bytes
	}
	c, err := x509.ParseCertificate(data)
	if err != nil {
		return nil, errors.New("no certificate")
	}
	return c.Raw, nil
}

// description is what node tells of a certificate. Members that are undefined there are left out.
type description struct {
	Subject        string      `json:"subject"`
	Issuer         string      `json:"issuer"`
	SubjectNames   [][2]string `json:"subjectNames"`
	IssuerNames    [][2]string `json:"issuerNames"`
	SubjectAltName string      `json:"subjectAltName,omitempty"`
	InfoAccess     string      `json:"infoAccess,omitempty"`
	ValidFrom      string      `json:"validFrom"`
	ValidTo        string      `json:"validTo"`
	SerialNumber   string      `json:"serialNumber"`
	KeyUsage       []string    `json:"keyUsage,omitempty"`
	CA             bool        `json:"ca"`
	CommonNames    []string    `json:"commonNames"`
	Hosts          []string    `json:"hosts"`
	Emails         []string    `json:"emails"`
	Addresses      []string    `json:"addresses"` // in hexadecimal
	// Of the public key.
	Modulus  string `json:"modulus,omitempty"`
	Bits     int    `json:"bits,omitempty"`
	Exponent string `json:"exponent,omitempty"`
	Curve    string `json:"asn1Curve,omitempty"`
	NIST     string `json:"nistCurve,omitempty"`
}

const opensslTime = "Jan _2 15:04:05 2006 GMT"

// certificateDescribe takes a certificate and returns a description as JSON.
func certificateDescribe(args []any) (any, error) {
	c, err := x509.ParseCertificate(args[0].([]byte))
	if err != nil {
		return nil, err
	}
	subject, err := namesOf(c.RawSubject)
	if err != nil {
		return nil, err
	}
	issuer, err := namesOf(c.RawIssuer)
	if err != nil {
		return nil, err
	}
	d := description{
		Subject: subject.text(), SubjectNames: subject.pairs(), Issuer: issuer.text(), IssuerNames: issuer.pairs(),
		ValidFrom: c.NotBefore.In(time.UTC).Format(opensslTime), ValidTo: c.NotAfter.In(time.UTC).Format(opensslTime),
		SerialNumber: strings.ToUpper(c.SerialNumber.Text(16)),
		CA:           c.BasicConstraintsValid && c.IsCA && (c.KeyUsage == 0 || c.KeyUsage&x509.KeyUsageCertSign != 0),
		Hosts:        c.DNSNames, Emails: c.EmailAddresses,
	}
	if len(d.SerialNumber)%2 == 1 {
		d.SerialNumber = "0" + d.SerialNumber
	}
	for _, pair := range d.SubjectNames {
		if pair[0] == "CN" {
			d.CommonNames = append(d.CommonNames, pair[1])
		}
	}
	for _, ip := range c.IPAddresses {
		if four := ip.To4(); four != nil {
			ip = four
		}
		d.Addresses = append(d.Addresses, fmt.Sprintf("%x", []byte(ip)))
	}
	for _, extension := range c.Extensions {
		switch extension.Id.String() {
		case "2.5.29.17":
			d.SubjectAltName = strings.Join(generalNames(extension.Value), ", ")
		case "1.3.6.1.5.5.7.1.1":
			d.InfoAccess = infoAccess(extension.Value)
		case "2.5.29.37":
			var usages []asn1.ObjectIdentifier
			if _, err := asn1.Unmarshal(extension.Value, &usages); err == nil {
				for _, usage := range usages {
					d.KeyUsage = append(d.KeyUsage, usage.String())
				}
			}
		}
	}
	switch key := c.PublicKey.(type) {
	case *rsa.PublicKey:
		d.Modulus, d.Bits, d.Exponent = strings.ToUpper(key.N.Text(16)), key.N.BitLen(), fmt.Sprintf("0x%x", key.E)
	case *ecdsa.PublicKey:
		params := key.Curve.Params()
		d.Bits, d.Curve, d.NIST = params.BitSize, curveNames[key.Curve], params.Name
	}
	text, err := json.Marshal(d)
	return string(text), err
}

// certificateKey takes a certificate and returns its public key.
func certificateKey(args []any) (any, error) {
	c, err := x509.ParseCertificate(args[0].([]byte))
	if err != nil {
		return nil, err
	}
	return c.RawSubjectPublicKeyInfo, nil
}

// certificateIssued takes (certificate, another) and tells whether the other may have issued it: by names, identifiers of
// keys and usages; no signature is checked.
func certificateIssued(args []any) (any, error) {
	c, err := x509.ParseCertificate(args[0].([]byte))
	if err != nil {
		return nil, err
	}
	issuer, err := x509.ParseCertificate(args[1].([]byte))
	if err != nil {
		return nil, err
	}
	named := bytes.Equal(c.RawIssuer, issuer.RawSubject)
	identified := len(c.AuthorityKeyId) == 0 || len(issuer.SubjectKeyId) == 0 || bytes.Equal(c.AuthorityKeyId, issuer.SubjectKeyId)
	may := issuer.KeyUsage == 0 || issuer.KeyUsage&x509.KeyUsageCertSign != 0
	return named && identified && may, nil
}

// certificateSigned takes (certificate, public key) and tells whether the key's owner has signed it.
func certificateSigned(args []any) (any, error) {
	c, err := x509.ParseCertificate(args[0].([]byte))
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKIXPublicKey(args[1].([]byte))
	if err != nil {
		return nil, err
	}
	signer := x509.Certificate{PublicKey: key}
	return signer.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) == nil, nil
}

// certificateHasKey takes (certificate, private key) and tells whether they belong together.
func certificateHasKey(args []any) (any, error) {
	c, err := x509.ParseCertificate(args[0].([]byte))
	if err != nil {
		return nil, err
	}
	key, err := parsed(true, args[1].([]byte))
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(publicOf(key))
	return bytes.Equal(public, c.RawSubjectPublicKeyInfo), err
}

// spkac is a signed public key and challenge.
type spkac struct {
	Signed struct {
		Raw       asn1.RawContent
		Key       asn1.RawValue
		Challenge asn1.RawValue
	}
	Algorithm struct {
		ID         asn1.ObjectIdentifier
		Parameters asn1.RawValue `asn1:"optional"`
	}
	Signature asn1.BitString
}

// signatureDigests are the digests of the signatures that an SPKAC may have; MD5 proves nothing any more.
var signatureDigests = map[string]crypto.Hash{
	"1.2.840.113549.1.1.5": crypto.SHA1, "1.2.840.113549.1.1.11": crypto.SHA256, "1.2.840.113549.1.1.12": crypto.SHA384, "1.2.840.113549.1.1.13": crypto.SHA512,
	"1.2.840.10045.4.1": crypto.SHA1, "1.2.840.10045.4.3.2": crypto.SHA256, "1.2.840.10045.4.3.3": crypto.SHA384, "1.2.840.10045.4.3.4": crypto.SHA512,
}

// spkacPart takes (part, SPKAC in base64) and returns the challenge, or the key as PEM, or for the part "verified" whether
// the signature is right; nothing of what is no SPKAC.
func spkacPart(args []any) (any, error) {
	text := bytes.TrimRight(args[1].([]byte), " \t\r\n\x00")
	der, err := base64.StdEncoding.DecodeString(string(text))
	var s spkac
	if err != nil || !unmarshal(der, &s) {
		return nil, nil
	}
	key, err := x509.ParsePKIXPublicKey(s.Signed.Key.FullBytes)
	if err != nil {
		return nil, nil
	}
	switch args[0] {
	case "challenge":
		return slices.Clone(s.Signed.Challenge.Bytes), nil
	case "key":
		return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: s.Signed.Key.FullBytes}), nil
	}
	id, known := signatureDigests[s.Algorithm.ID.String()]
	if !known {
		return false, nil
	}
	h := id.New()
	h.Write(s.Signed.Raw)
	switch key := key.(type) {
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, id, h.Sum(nil), s.Signature.Bytes) == nil, nil
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, h.Sum(nil), s.Signature.Bytes), nil
	}
	return false, nil
}
