// node:diagnostics_channel.
(function (host) {
  'use strict';
  const { checkFunction, invalidType } = host.load('node/errors');
  const channels = new Map();

  class Channel {
    #subscribers = [];
    #stores = new Map();
    constructor(name) { this.name = name; }
    get hasSubscribers() { return this.#subscribers.length > 0 || this.#stores.size > 0; }
    subscribe(subscription) {
      checkFunction(subscription, 'subscription');
      this.#subscribers = [...this.#subscribers, subscription];
    }
    unsubscribe(subscription) {
      const at = this.#subscribers.indexOf(subscription);
      if (at < 0) return false;
      this.#subscribers = this.#subscribers.toSpliced(at, 1);
      return true;
    }
    publish(message) {
      for (const subscription of this.#subscribers) {
        try {
          subscription(message, this.name);
        } catch (error) {
          queueMicrotask(() => { throw error; });
        }
      }
    }
    bindStore(store, transform) { this.#stores.set(store, transform); }
    unbindStore(store) { return this.#stores.delete(store); }
    runStores(data, fn, thisArg = undefined, ...args) {
      let run = () => {
        this.publish(data);
        return Reflect.apply(fn, thisArg, args);
      };
      for (const [store, transform] of this.#stores) {
        const next = run;
        run = () => store.run(transform === undefined ? data : transform(data), next);
      }
      return run();
    }
  }
  const channel = (name) => {
    if (typeof name !== 'string' && typeof name !== 'symbol') throw invalidType('channel', 'one of type string or symbol', name);
    if (!channels.has(name)) channels.set(name, new Channel(name));
    return channels.get(name);
  };

  const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
  class TracingChannel {
    constructor(nameOrChannels) {
      for (const event of events) this[event] = typeof nameOrChannels === 'string' ? channel(`tracing:${nameOrChannels}:${event}`) : nameOrChannels[event];
    }
    get hasSubscribers() { return events.some((event) => this[event]?.hasSubscribers); }
    subscribe(handlers) { for (const event of events) if (handlers[event]) this[event]?.subscribe(handlers[event]); }
    unsubscribe(handlers) {
      let done = true;
      for (const event of events) if (handlers[event] && !this[event]?.unsubscribe(handlers[event])) done = false;
      return done;
    }
    #fail(context, error) {
      context.error = error;
      this.error.publish(context);
    }
    traceSync(fn, context = {}, thisArg = undefined, ...args) {
      return this.start.runStores(context, () => {
        try {
          return (context.result = Reflect.apply(fn, thisArg, args));
        } catch (error) {
          this.#fail(context, error);
          throw error;
        } finally {
          this.end.publish(context);
        }
      });
    }
    tracePromise(fn, context = {}, thisArg = undefined, ...args) {
      const settle = (key, then) => (value) => {
        if (key === 'error') this.#fail(context, value);
        else context.result = value;
        this.asyncStart.publish(context);
        this.asyncEnd.publish(context);
        return then(value);
      };
      return this.start.runStores(context, () => {
        try {
          return Promise.resolve(Reflect.apply(fn, thisArg, args)).then(settle('result', (value) => value), settle('error', (error) => Promise.reject(error)));
        } catch (error) {
          this.#fail(context, error);
          throw error;
        } finally {
          this.end.publish(context);
        }
      });
    }
    traceCallback(fn, position = -1, context = {}, thisArg = undefined, ...args) {
      const at = position < 0 ? args.length + position : position;
      const callback = args[at];
      checkFunction(callback, 'callback');
      args[at] = (error, result) => {
        if (error) this.#fail(context, error);
        else context.result = result;
        this.asyncStart.runStores(context, () => {
          try {
            return callback(error, result);
          } finally {
            this.asyncEnd.publish(context);
          }
        });
      };
      return this.start.runStores(context, () => {
        try {
          return Reflect.apply(fn, thisArg, args);
        } catch (error) {
          this.#fail(context, error);
          throw error;
        } finally {
          this.end.publish(context);
        }
      });
    }
  }
  return {
    channel,
    hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
    subscribe: (name, subscription) => channel(name).subscribe(subscription),
    tracingChannel: (nameOrChannels) => new TracingChannel(nameOrChannels),
    unsubscribe: (name, subscription) => channel(name).unsubscribe(subscription),
    Channel,
    [Symbol.for('codemode.exports')]: { TracingChannel },
  };
})
