package typegen

// kinds is a set of the JSON types.
type kinds uint8

const (
	isString kinds = 1 << iota
	isNumber
	isBoolean
	isNull
	isArray
	isObject
	anyKind = isString | isNumber | isBoolean | isNull | isArray | isObject
)

func kindsOf(typeName string) kinds {
	switch typeName {
	case "string":
		return isString
	case "number", "integer":
		return isNumber
	case "boolean":
		return isBoolean
	case "null":
		return isNull
	case "array":
		return isArray
	case "object":
		return isObject
	}
	return 0
}

// typeKinds returns the kinds n's own type allows.
func typeKinds(n *node) kinds {
	var one [1]string
	names := typeNames(n, one[:0])
	if len(names) == 0 {
		return anyKind
	}
	var k kinds
	for _, name := range names {
		if k |= kindsOf(name); kindsOf(name) == 0 {
			return anyKind
		}
	}
	return k
}

// impliedKinds returns the kinds that n's references and combinators allow.
func (p *printer) impliedKinds(n *node) kinds {
	k := anyKind
	if ref := refOf(n); ref != "" {
		if target := p.doc.resolve(ref); target != nil {
			k &= p.allowed(target)
		}
	}
	for _, key := range combinators {
		branches := n.array(key)
		if len(branches) == 0 {
			continue
		}
		var either kinds
		for _, branch := range branches {
			if key == "allOf" {
				k &= p.allowed(branch)
			}
			either |= p.allowed(branch)
		}
		k &= either
	}
	return k
}

// allowed returns the kinds of value n allows, as far as its types tell.
func (p *printer) allowed(n *node) kinds {
	switch {
	case n.isFalse():
		return 0
	case n.kind != kindObject:
		return anyKind
	}
	if k, ok := p.doc.kinds[n]; ok {
		return k
	}
	p.doc.kinds[n] = anyKind // what a cycle sees
	k := p.impliedKinds(n)
	if value := n.get("const"); value != nil {
		k &= valueKinds(value)
	} else if values := n.array("enum"); values != nil {
		k &= valueKinds(values...)
	} else {
		k &= typeKinds(n)
	}
	if n.isTrue("nullable") {
		k |= isNull
	}
	p.doc.kinds[n] = k
	return k
}

func valueKinds(values ...*node) kinds {
	var k kinds
	for _, value := range values {
		k |= [...]kinds{isNull, isBoolean, isNumber, isString, isArray, isObject}[value.kind]
	}
	return k
}
