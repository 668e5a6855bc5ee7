package serve

import (
	"container/list"
	"context"
	"runtime/debug"
	"sync"
)

// cache keeps what was made for keys, as long as it is within its bound; what
// was not used for longest goes first. Whoever asks for what is being made
// waits for it; it is made once. Errors are not kept.
type cache[K comparable, V any] struct {
	mu     sync.Mutex
	bound  int64
	size   func(V) int64 // nil counts entries
	total  int64
	order  *list.List // of *entry, newest first
	kept   map[K]*list.Element
	making map[K]*making[V]
}

type entry[K comparable, V any] struct {
	key   K
	value V
	size  int64
}

// making is a value in the making, with how many wait for it.
type making[V any] struct {
	done    chan struct{}
	waiting int
	cancel  context.CancelFunc
	value   V
	err     error
}

func newCache[K comparable, V any](bound int64, size func(V) int64) *cache[K, V] {
	return &cache[K, V]{bound: bound, size: size, order: list.New(), kept: make(map[K]*list.Element), making: make(map[K]*making[V])}
}

// get returns what is kept for a key, or what make returns. The context of make
// is done when nobody waits for it any longer.
func (c *cache[K, V]) get(ctx context.Context, key K, create func(context.Context) (V, error)) (V, error) {
	var none V
	if err := ctx.Err(); err != nil {
		return none, err
	}
	c.mu.Lock()
	if at, ok := c.kept[key]; ok {
		c.order.MoveToFront(at)
		value := at.Value.(*entry[K, V]).value
		c.mu.Unlock()
		return value, nil
	}
	m, ok := c.making[key]
	if !ok {
		m = c.start(ctx, key, create)
	}
	m.waiting++
	c.mu.Unlock()
	select {
	case <-m.done:
		return m.value, m.err
	case <-ctx.Done():
		c.leave(key, m)
		return none, ctx.Err()
	}
}

// start begins to make a value; c is locked.
func (c *cache[K, V]) start(ctx context.Context, key K, create func(context.Context) (V, error)) *making[V] {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	m := &making[V]{done: make(chan struct{}), cancel: cancel}
	c.making[key] = m
	go func() {
		m.value, m.err = guarded(own, create)
		c.finish(key, m)
		cancel()
		close(m.done)
	}()
	return m
}

func guarded[V any](ctx context.Context, create func(context.Context) (V, error)) (v V, err error) {
	defer func() {
		if failed := recover(); failed != nil {
			err = panicked(failed)
		}
	}()
	return create(ctx)
}

func stack() string { return string(debug.Stack()) }

// leave is called by who does not want to wait any longer. A value that nobody
// waits for is made anew for the next who asks.
func (c *cache[K, V]) leave(key K, m *making[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.waiting--; m.waiting > 0 {
		return
	}
	if c.making[key] == m {
		delete(c.making, key)
	}
	m.cancel()
}

// finish keeps a value, and lets others go for it. One that was left meanwhile
// is kept as well: it is there, and was asked for.
func (c *cache[K, V]) finish(key K, m *making[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.making[key] == m {
		delete(c.making, key)
	}
	if _, there := c.kept[key]; m.err != nil || there {
		return
	}
	e := &entry[K, V]{key, m.value, 1}
	if c.size != nil {
		e.size = c.size(m.value)
	}
	if e.size > c.bound {
		return
	}
	c.kept[key] = c.order.PushFront(e)
	for c.total += e.size; c.total > c.bound; {
		c.drop(c.order.Back())
	}
}

// forget drops what is kept for some keys.
func (c *cache[K, V]) forget(of func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, at := range c.kept {
		if of(key) {
			c.drop(at)
		}
	}
}

func (c *cache[K, V]) drop(at *list.Element) {
	e := at.Value.(*entry[K, V])
	c.order.Remove(at)
	delete(c.kept, e.key)
	c.total -= e.size
}

// peek returns what is kept for a key without using it.
func (c *cache[K, V]) peek(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.kept[key]
	if ok {
		value = at.Value.(*entry[K, V]).value
	}
	return value, ok
}
