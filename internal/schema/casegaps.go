package schema

// A CaseGap is a mistake that the schema of cases does not see and deed run does, because it is about what stands elsewhere: in other
// keys, in files, on the machine, or inside a text.
type CaseGap struct {
	Name   string
	Head   string // keys of the case, as JSON members; "" is none besides what every case has
	Sample string // one step as JSON; "" is "back"
}

// CaseGaps lists them.
func CaseGaps() []CaseGap {
	return []CaseGap{
		{Name: "a variable that is not declared", Sample: `{"click":{"button":"${NOBODY}"}}`},
		{Name: "a variable that is not closed", Sample: `{"click":{"button":"${NOBODY"}}`},
		{Name: "a variable that uses itself", Head: `"vars":{"A":"${A}"}`},
		{Name: "a secret that has no value", Head: `"secrets":["DEED_TEST_SECRET_WITHOUT_VALUE"]`},
		{Name: "a secret that the case does not name", Sample: `{"fill":{"textbox":"Pin"},"secret":"PIN"}`},
		{Name: "a file that is not there", Sample: `{"upload":{"button":"Attach"},"files":["not-there.pdf"]}`},
		{Name: "a fragment that is not there", Sample: `{"use":"nobody-wrote-this"}`},
		{Name: "an origin that the case does not name", Sample: `{"goto":"https://elsewhere.example/"}`},
		{Name: "an origin with a path", Head: `"origins":["https://pay.example/now"]`},
		{Name: "a URL of a kind that no case opens", Sample: `{"goto":"javascript:alert(1)"}`},
		{Name: "a request for a file", Sample: `{"http":"file:///etc/passwd"}`},
		{Name: "a request with two bodies", Sample: `{"http":{"method":"POST","url":"/a","body":"b","json":{}}}`},
		{Name: "a method that there is not", Sample: `{"http":{"method":"GRAB","url":"/a"}}`},
		{Name: "a status that there is not", Sample: `{"http":"/a","status":99}`},
		{Name: "a path that RFC 9535 does not know", Sample: `{"http":"/a","json":{"$.items[":1}}`},
		{Name: "a name of what is saved that is no word", Sample: `{"http":"/a","save":{"1 x":"$.a"}}`},
		{Name: "a name that is no valid regular expression", Sample: `{"click":{"button":"/(/"}}`},
		{Name: "a key that no keyboard has", Sample: `{"press":"Entre"}`},
		{Name: "an expectation that cannot fail: a bare landmark", Sample: `{"expect":{"visible":{"main":""}}}`},
		{Name: "an expectation that cannot fail: every URL", Sample: `{"expect":{"url":"**"}}`},
		{Name: "an expectation that cannot hold: min above max", Sample: `{"expect":{"count":{"row":""},"min":3,"max":2}}`},
		{Name: "a glob that no URL matches", Sample: `{"expect":{"url":"?a=b"}}`},
		{Name: "no time at all", Sample: `{"click":{"button":"Save"},"timeout":"0s"}`},
		{Name: "a case that depends on itself", Head: `"depends_on":["a"]`},
		{Name: "a dependency whose id cannot be one", Head: `"depends_on":["../b"]`},
		{Name: "more attempts than there may be", Head: `"retries":11`},
		{Name: "a device that there is not", Head: `"device":"fridge"`},
		{Name: "a time that is none", Head: `"clock":{"now":"tomorrow"}`},
		{Name: "a time zone that is none", Head: `"clock":{"timezone":"Mars/Base"}`},
		{Name: "a rule that answers in two ways", Head: `"network":[{"url":"**/a","abort":true,"body":"b"}]`},
		{Name: "a rule that answers nothing", Head: `"network":[{"url":"**/a"}]`},
	}
}
