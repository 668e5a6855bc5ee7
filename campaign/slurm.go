package campaign

func (c *Campaign) idle() error { return nil }
