package trace

// WriteWith puts something between the writer and its file; nil takes it away again.
func WriteWith(w *Writer, wrap func(func([]byte) (int, error)) func([]byte) (int, error)) {
	w.write, w.truncate = w.f.Write, w.f.Truncate
	if wrap != nil {
		w.write = wrap(w.f.Write)
	}
}

// TruncateWith makes taking back something else.
func TruncateWith(w *Writer, f func(int64) error) { w.truncate = f }
