package words

var (
	LooseLatin = looseLatin
	LooseAny   = looseAny
)
