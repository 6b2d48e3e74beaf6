// Checks one row of the web platform tests' urlpatterntestdata.json and returns what is wrong, following
// urlpattern.js there: absent expectations are derived from the pattern.
(row) => {
  const wrong = [];
  const keys = ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search', 'hash'];
  let pattern;
  try {
    pattern = new URLPattern(...row.pattern);
  } catch (e) {
    return row.expected_obj === 'error' ? (e instanceof TypeError ? [] : ['threw ' + e]) : ['threw ' + e];
  }
  if (row.expected_obj === 'error') return ['did not throw'];
  const init = row.pattern[0];
  const base = typeof init === 'object' && init.baseURL ? new URL(init.baseURL) : typeof row.pattern[1] === 'string' ? new URL(row.pattern[1]) : null;
  for (const key of keys) {
    let expected = row.expected_obj?.[key];
    if (expected === undefined) {
      const earlier = { protocol: [], hostname: ['protocol'], port: ['protocol', 'hostname'], username: [], password: [], pathname: ['protocol', 'hostname', 'port'], search: ['protocol', 'hostname', 'port', 'pathname'], hash: ['protocol', 'hostname', 'port', 'pathname', 'search'] }[key];
      if (row.exactly_empty_components?.includes(key)) expected = '';
      else if (typeof init === 'object' && init[key]) expected = init[key];
      else if (typeof init === 'object' && earlier.some((e) => e in init)) expected = '*';
      else if (base && key !== 'username' && key !== 'password') {
        expected = base[key];
        if (key === 'protocol') expected = expected.slice(0, -1);
        if (key === 'search' || key === 'hash') expected = expected.slice(1);
      } else expected = '*';
    }
    if (pattern[key] !== expected) wrong.push(`${key} is ${pattern[key]}, want ${expected}`);
  }
  if (row.expected_match === 'error') {
    for (const method of ['test', 'exec']) {
      try {
        pattern[method](...row.inputs);
        wrong.push(`${method} did not throw`);
      } catch (e) {
        if (!(e instanceof TypeError)) wrong.push(`${method} threw ${e}`);
      }
    }
    return wrong;
  }
  if (pattern.test(...row.inputs) !== !!row.expected_match) wrong.push(`test is ${!row.expected_match}`);
  const result = pattern.exec(...row.inputs);
  if (!row.expected_match || typeof row.expected_match !== 'object') {
    if ((result ?? null) !== (row.expected_match ?? null)) wrong.push('exec is ' + JSON.stringify(result));
    return wrong;
  }
  const inputs = row.expected_match.inputs ?? row.inputs;
  if (JSON.stringify(result?.inputs) !== JSON.stringify(inputs)) wrong.push('inputs are ' + JSON.stringify(result?.inputs));
  for (const key of keys) {
    let expected = row.expected_match[key];
    if (!expected) expected = { input: '', groups: row.exactly_empty_components?.includes(key) ? {} : { 0: '' } };
    for (const group in expected.groups) if (expected.groups[group] === null) expected.groups[group] = undefined;
    const got = result?.[key];
    const flat = (c) => JSON.stringify([c?.input, Object.entries(c?.groups ?? {}).map(([k, v]) => [k, v === undefined ? 'undefined' : v]).sort()]);
    if (flat(got) !== flat(expected)) wrong.push(`${key} matches ${flat(got)}, want ${flat(expected)}`);
  }
  return wrong;
}
