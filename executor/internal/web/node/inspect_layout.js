// How util.inspect sets what it has written: in a line, in lines, in columns.
(function () {
  'use strict';
  // Lists of more than six short items are set in columns.
  const columns = (out, ctx, value) => {
    let total = 0;
    let widest = 0;
    const hasMore = ctx.maxArrayLength < out.length || /^\.\.\. \d+ more item/.test(out[out.length - 1] ?? '');
    const count = hasMore ? out.length - 1 : out.length;
    const widths = [];
    for (let i = 0; i < count; i++) {
      widths[i] = ctx.colors ? out[i].replace(/\u001b\[\d+m/g, '').length : out[i].length;
      total += widths[i] + 2;
      if (widths[i] > widest) widest = widths[i];
    }
    const actual = widest + 2;
    if (!(actual * 3 + ctx.indentation < ctx.breakLength && (total / actual > 5 || widest <= 6))) return out;
    const bias = Math.sqrt(actual - total / out.length);
    const biased = Math.max(actual - 3 - bias, 1);
    const perRow = Math.min(Math.round(Math.sqrt(2.5 * biased * count) / biased), Math.floor((ctx.breakLength - ctx.indentation) / actual), ctx.compact * 4, 15);
    if (perRow <= 1) return out;
    const lengths = [];
    for (let i = 0; i < perRow; i++) {
      let width = 0;
      for (let j = i; j < count; j += perRow) if (widths[j] > width) width = widths[j];
      lengths.push(width + 2);
    }
    const numbers = value !== undefined && value.every?.((item) => typeof item === 'number' || typeof item === 'bigint');
    const rows = [];
    for (let i = 0; i < count; i += perRow) {
      const max = Math.min(i + perRow, count);
      let row = '';
      let j = i;
      for (; j < max - 1; j++) {
        const cell = `${out[j]}, `;
        const pad = ' '.repeat(Math.max(0, lengths[j - i] - widths[j] - 2));
        row += numbers ? pad + cell : cell + pad;
      }
      row += numbers ? ' '.repeat(Math.max(0, lengths[j - i] - 2 - widths[j])) + out[j] : out[j];
      rows.push(row);
    }
    if (hasMore) rows.push(out[count]);
    return rows;
  };
  const fits = (out, start, base, ctx) => {
    let total = out.length + start;
    if (total + out.length > ctx.breakLength) return false;
    for (const item of out) {
      total += ctx.colors ? item.replace(/\u001b\[\d+m/g, '').length : item.length;
      if (total > ctx.breakLength) return false;
    }
    return base === undefined || !base.includes('\n');
  };
  const layout = (out, shape, ctx, times, value) => {
    const { base, open, close, isList } = shape;
    const prefix = base === undefined ? '' : `${base} `;
    if (ctx.compact !== true) {
      let entries = out.length;
      if (isList && entries > 6 && typeof ctx.compact === 'number' && ctx.compact >= 1) out = columns(out, ctx, value);
      if (ctx.currentDepth - times < ctx.compact && entries === out.length) {
        const start = out.length + ctx.indentation + open.length + (base?.length ?? 0) + 10;
        if (fits(out, start, base, ctx)) {
          const text = out.join(', ');
          if (!text.includes('\n')) return `${prefix}${open} ${text} ${close}`;
        }
      }
      const indent = `\n${' '.repeat(ctx.indentation)}`;
      return `${prefix}${open}${indent}  ${out.join(`,${indent}  `)}${indent}${close}`;
    }
    if (fits(out, 0, base, ctx)) return `${open}${base ? ` ${base}` : ''} ${out.join(', ')} ${close}`;
    const indent = `\n${' '.repeat(ctx.indentation)}`;
    return `${base ? `${base} ` : ''}${open === '{' ? ' ' : `${open} `}${out.join(`,${indent}  `)} ${close}`;
  };
  return { layout };
})
