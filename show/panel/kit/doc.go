// Package kit has what drawings of panels are made of: rows of workers with
// aggregation, labels and outliers ([Gantt], [Lanes]), step functions reduced to
// pixels ([Compact], [Curves], [Bands], [Stack]), cells, bars, scales, axes and
// legends. It knows no panel.
package kit
