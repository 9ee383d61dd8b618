//go:build container

package shop

import (
	"context"
	"log"
	"os"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// TestMain runs all tests against a container: go test -tags container ./...
func TestMain(m *testing.M) {
	ctx := context.Background()
	token := "my-control-token"
	container, err := testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{
		ContainerRequest: testcontainers.ContainerRequest{
			Image:        "mockserver",
			ExposedPorts: []string{"4242/tcp"},
			Env:          map[string]string{"MOCKSERVER_CLOCK": "frozen", "MOCKSERVER_CONTROL_TOKEN": token},
			WaitingFor:   wait.ForHTTP("/_mock/ready").WithPort("4242/tcp"),
		},
		Started: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	url, err := container.PortEndpoint(ctx, "4242/tcp", "http")
	if err != nil {
		log.Fatal(err)
	}
	os.Setenv("MOCKSERVER_URL", url)
	os.Setenv("MOCKSERVER_CONTROL_TOKEN", token)
	status := m.Run()
	container.Terminate(ctx)
	os.Exit(status)
}
