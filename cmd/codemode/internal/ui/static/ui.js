// Live updates and the keyboard. Without this file every page works all the same; it stands still then.
(() => {
  'use strict';
  const root = document.documentElement;
  root.classList.add('js');
  const help = document.getElementById('help');
  const state = document.getElementById('state');

  // The part of the page that changes comes from the server as a whole, as at a reload. What a person has opened stays open, and
  // what had the focus has it again.
  const refresh = async () => {
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (!answer.ok) throw new Error(answer.status);
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const [now, next] = [document.getElementById('live'), fresh.getElementById('live')];
    if (!now || !next) return;
    for (const open of now.querySelectorAll('details[open][id]')) {
      fresh.getElementById(open.id)?.setAttribute('open', '');
    }
    const focused = now.contains(document.activeElement) ? document.activeElement.id || document.activeElement.parentElement.id : '';
    now.replaceWith(document.adoptNode(next));
    document.title = fresh.title;
    document.body.dataset.live = fresh.body.dataset.live;
    const again = focused && document.getElementById(focused);
    if (again) (again.querySelector(':scope > summary') ?? again).focus({ preventScroll: true });
    if (!document.body.dataset.live) disconnect();
  };

  // One refresh at a time; what changes meanwhile is one more after it.
  let busy = false;
  let due = false;
  const update = async () => {
    due = true;
    if (busy) return;
    busy = true;
    while (due) {
      due = false;
      try {
        await refresh();
      } catch {
        say('not up to date');
      }
    }
    busy = false;
  };

  const say = (text) => {
    if (state.textContent !== text) state.textContent = text;
  };

  // A browser opens few connections to one host, so that a window which nobody sees holds none.
  let events = null;
  let clock = 0;
  const connect = () => {
    if (events || !document.body.dataset.live || document.hidden) return;
    events = new EventSource('/events');
    let opened = false;
    events.onopen = () => {
      say('live');
      if (opened) update();
      opened = true;
    };
    events.onerror = () => say(events.readyState === EventSource.CLOSED ? 'not live: reload the page' : 'codemode does not answer');
    events.onmessage = (message) => {
      const mine = document.body.dataset.live;
      const ids = JSON.parse(message.data);
      if (mine === '*' || ids.includes(mine) || ids.includes('*')) update();
    };
    // what runs grows longer though nothing happens
    clock = setInterval(() => document.querySelector('#live .outcome.running') && update(), 1000);
  };
  const disconnect = () => {
    clearInterval(clock);
    events?.close();
    events = null;
    if (!document.body.dataset.live) say('');
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return disconnect();
    connect();
    if (document.body.dataset.live) update();
  });
  connect();

  // The keyboard. Items are what the list consists of: runs, calls, functions.
  const move = (by) => {
    const items = [...document.querySelectorAll('.item')];
    if (items.length === 0) return;
    const at = items.indexOf(document.activeElement);
    const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.max(0, Math.min(items.length - 1, at + by))];
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
  };
  const keys = {
    j: () => move(1),
    k: () => move(-1),
    '/': () => document.getElementById('search')?.select(),
    '?': () => help.showModal(),
    Escape: () => {
      const back = document.getElementById('back');
      if (back) back.click();
      else document.activeElement.blur();
    },
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || help.open) return;
    const typing = event.target.matches('input, textarea, select');
    if (typing && event.key !== 'Escape') return;
    if (typing) {
      event.target.blur();
      event.preventDefault();
      return;
    }
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.getElementById('keys')?.addEventListener('click', () => help.showModal());
})();
