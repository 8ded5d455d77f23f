package main

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
)

// draw writes a picture of the plate, in which a cell is a few pixels, and a dark line
// parts what differs by a tenth.
func draw(file string, plate []float64, cells int) error {
	scale := max(1, 400/cells)
	size := cells * scale
	at := func(x, y int) float64 { return plate[min(y, size-1)/scale*cells+min(x, size-1)/scale] }
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			c := warmth(at(x, y))
			if level := int(at(x, y) * 10); level != int(at(x+1, y)*10) || level != int(at(x, y+1)*10) {
				c = color.RGBA{c.R / 2, c.G / 2, c.B / 2, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, img), f.Close())
}

// warmth is the colour of a temperature from 0 to 1: from dark blue by way of red and
// yellow to white.
func warmth(t float64) color.RGBA {
	stops := []color.RGBA{{20, 20, 70, 255}, {90, 30, 140, 255}, {200, 50, 60, 255},
		{250, 150, 40, 255}, {255, 245, 200, 255}}
	t = min(1, max(0, t)) * float64(len(stops)-1)
	k := min(int(t), len(stops)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (t-float64(k))*(float64(b)-float64(a))) }
	a, b := stops[k], stops[k+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
