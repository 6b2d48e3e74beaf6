// Runs an expression's function and renders the outcome as the recording of workerd did.
async (run) => {
  'use strict';
  const show = (v) => {
    try {
      if (typeof v === 'string' || Array.isArray(v)) return JSON.stringify(v);
      return v && typeof v === 'object' ? Object.prototype.toString.call(v) + JSON.stringify(v) : String(v);
    } catch (e) {
      return '!' + e.message;
    }
  };
  try {
    return show(await run());
  } catch (e) {
    return 'T ' + e?.constructor?.name + ' ' + (e?.name) + ': ' + e?.message;
  }
}
