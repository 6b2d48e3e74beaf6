//go:build cgo && (linux || darwin)

package worker_test

import (
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// What the engine lacks of the language looks like what it has, and an argument that is not there is none, whatever a program has
// given arrays.
func TestMembersThatTheEngineLacksAreLikeItsOwn(t *testing.T) {
	c := startChild(t, wire.Options{})
	c.check(`async () => [
		Iterator.concat, Iterator.zip, Iterator.zipKeyed, Iterator.prototype.join, Iterator.prototype.includes, Math.sumPrecise,
		Map.prototype.getOrInsert, Map.prototype.getOrInsertComputed, WeakMap.prototype.getOrInsert, WeakMap.prototype.getOrInsertComputed,
		Uint8Array.fromBase64, Uint8Array.fromHex, Uint8Array.prototype.toBase64, Uint8Array.prototype.setFromBase64,
		Uint8Array.prototype.toHex, Uint8Array.prototype.setFromHex,
	].map((f) => f.name + f.length + ('prototype' in f ? '!' : '')).join(' ')`,
		`"concat0 zip1 zipKeyed1 join1 includes1 sumPrecise1 getOrInsert2 getOrInsertComputed2 getOrInsert2 getOrInsertComputed2 fromBase641 fromHex1 toBase640 setFromBase641 toHex0 setFromHex1"`)
	c.check(`async () => {
		Array.prototype[0] = Array.prototype[1] = 'forged';
		const bytes = new Uint8Array([1, 2, 3]);
		const out = [
			bytes.toBase64(), Uint8Array.fromBase64('AQID').length, new Uint8Array(3).setFromBase64('AQID').written,
			[...Iterator.zip([[1], [2]])].length, [...Iterator.zipKeyed({ a: [1] })].length, [1].values().includes(1), [1, 2].values().join(),
			new Map().getOrInsert('key') === undefined, Iterator.concat().next().done,
		].join(' ');
		delete Array.prototype[0];
		delete Array.prototype[1];
		return out;
	}`, `"AQID 3 3 1 1 true 1,2 true true"`)
}

func TestTimersHaveNoArgumentsThatAreNotThere(t *testing.T) {
	c := startChild(t, wire.Options{})
	c.check(`async () => [setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, queueMicrotask].map((f) => f.length).join('')`, `"0000000"`)
	c.check(`async () => {
		Array.prototype[0] = 'forged';
		Array.prototype[1] = 40; // a delay
		const order = [];
		setTimeout(() => order.push('at once'));
		const id = setInterval(() => { order.push('again'); clearInterval(id); });
		await new Promise((resolve) => setTimeout((...more) => { order.push(...more); resolve(); }, 20, 'with', 'more'));
		Array.prototype[1] = 'forged'; // options
		await scheduler.wait(0);
		clearImmediate(undefined);
		delete Array.prototype[0];
		delete Array.prototype[1];
		return order.join();
	}`, `"at once,again,with,more"`)
}
