package sim

// Observe tells f what actors do that takes time, until it is called with nil.
func Observe(f func(now float64, actor, what string, amount float64)) { observer = f }
