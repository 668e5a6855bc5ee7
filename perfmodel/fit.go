package perfmodel

// Fit is how a model was fitted.
type Fit struct {
}
