package core

// Hidden is the drawn class of what is not drawn. No palette is so large.
const Hidden = 255
