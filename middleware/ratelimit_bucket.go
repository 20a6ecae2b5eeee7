package middleware

import (
	"math"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// bucket fills at a steady rate up to its size. Its level may fall below zero:
// what was taken beyond it is filled up first. A bucket without a size limits
// nothing.
type bucket struct {
	level, size float64
	perSecond   float64
	at          time.Time // of level
	said        time.Time // of what the provider said last
}

func perMinute(n int, now time.Time) bucket {
	size := float64(max(n, 0))
	return bucket{level: size, size: size, perSecond: size / 60, at: now}
}

// fill brings the level up to now.
func (b *bucket) fill(now time.Time) {
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.level, b.at = min(b.size, b.level+passed*b.perSecond), now
	}
}

func (b *bucket) full(now time.Time) bool {
	b.fill(now)
	return b.level >= b.size
}

// take takes n, or gives it back if n is below zero.
func (b *bucket) take(n float64, now time.Time) {
	if b.size > 0 {
		b.fill(now)
		b.level = min(b.size, b.level-n)
	}
}

// wait is how long it takes until n can be taken when those ahead have taken
// theirs. More than the bucket holds is let through when it is full.
func (b *bucket) wait(ahead, n float64, now time.Time) time.Duration {
	if b.size <= 0 {
		return 0
	}
	b.fill(now)
	missing := ahead + min(n, b.size) - b.level
	if missing <= 0 {
		return 0
	}
	seconds := missing / b.perSecond
	return time.Duration(math.Ceil(min(seconds, math.MaxInt32) * float64(time.Second)))
}

// tell takes over what a provider said at some time: its word counts, less what
// the other calls under way will take. What was said before something else is
// passed over, for replies don't end in the order of their headers. Where a
// provider doesn't say when the window is whole again, a minute is taken.
func (b *bucket) tell(w chat.Window, others float64, said, now time.Time) {
	if w.Limit <= 0 && w.Remaining <= 0 || said.Before(b.said) {
		return
	}
	b.size = float64(max(w.Limit, w.Remaining))
	b.level, b.at, b.said = float64(w.Remaining), said, said
	b.perSecond = b.size / 60
	if gone := b.size - b.level; gone > 0 && w.Reset > 0 {
		b.perSecond = gone / w.Reset.Seconds()
	}
	b.fill(now)
	b.level -= others
}
