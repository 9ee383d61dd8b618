package shop

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// MockProject is a project of one test: its own keys, rows and clock. What a test asks of the mock server goes through
// its control API, under /_mock.
type MockProject struct {
	t              *testing.T
	URL            string `json:"-"`
	ID             string `json:"id"`
	SecretKey      string `json:"secret_key"`
	PublishableKey string `json:"publishable_key"`
	captured       map[string]struct{ ID string }
}

// newProject makes a project that is set up by a scenario.
func newProject(t *testing.T, scenario string) *MockProject {
	t.Helper()
	url := os.Getenv("MOCKSERVER_URL")
	if url == "" {
		t.Fatal("MOCKSERVER_URL is not set: run mockserver exec -- go test ./...")
	}
	project := &MockProject{t: t, URL: url}
	project.control("POST", "", `{"clock": {"mode": "frozen"}}`, project)
	setUp, err := os.ReadFile(scenario)
	if err != nil {
		t.Fatal(err)
	}
	var loaded struct {
		Captured map[string]struct{ ID string }
	}
	project.control("POST", "/scenarios", string(setUp), &loaded)
	project.captured = loaded.Captured
	return project
}

// id is that of what a step of the scenario made.
func (p *MockProject) id(name string) string {
	p.t.Helper()
	if p.captured[name].ID == "" {
		p.t.Fatalf("the scenario captures no %s", name)
	}
	return p.captured[name].ID
}

// load adds the rules of a scenario.
func (p *MockProject) load(scenario string) {
	p.t.Helper()
	p.control("POST", "/scenarios", scenario, nil)
}

// code is the one in the newest mail to an address.
func (p *MockProject) code(email string) string {
	p.t.Helper()
	var outbox struct {
		Data []struct {
			Code string `json:"code"`
		} `json:"data"`
	}
	p.control("GET", "/outbox?order=desc&limit=1&to="+email, "", &outbox)
	if len(outbox.Data) == 0 {
		p.t.Fatalf("there is no mail to %s", email)
	}
	return outbox.Data[0].Code
}

// advance moves the clock.
func (p *MockProject) advance(seconds string) {
	p.t.Helper()
	p.control("POST", "/clock/advance", `{"seconds": `+seconds+`}`, nil)
}

// spent is what a sponsorship has paid for gas, in wei.
func (p *MockProject) spent(sponsorship string) string {
	p.t.Helper()
	var budget struct {
		SpentWei string `json:"spent_wei"`
	}
	p.control("GET", "/fee-sponsorships/"+sponsorship+"/budget", "", &budget)
	return budget.SpentWei
}

// verify fails the test unless the calls were made.
func (p *MockProject) verify(calls string) {
	p.t.Helper()
	p.control("POST", "/verify", calls, nil)
}

func (p *MockProject) control(method, path, body string, answer any) {
	p.t.Helper()
	url := p.URL + "/_mock/projects"
	if p.ID != "" {
		url += "/" + p.ID + path
	}
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if path == "/scenarios" {
		request.Header.Set("Content-Type", "application/yaml")
	}
	// Only a server that other machines reach has a control token.
	request.Header.Set("X-Mockserver-Token", os.Getenv("MOCKSERVER_CONTROL_TOKEN"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if response.StatusCode >= 300 {
		var problem struct{ Detail string }
		if json.Unmarshal(text, &problem); problem.Detail == "" {
			problem.Detail = string(text)
		}
		p.t.Fatalf("%s %s: %s: %s", method, url, response.Status, problem.Detail)
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			p.t.Fatal(err)
		}
	}
}
