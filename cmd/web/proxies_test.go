package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/views/link"
)

// sharedPath is the path at which the tests show the site.
const sharedPath = "/clew"

// TestBehindProxies serves two processes behind the proxies of the folder deploy, by TLS and below a path: a person signs in,
// follows a stream, uploads 100 MB, and goes on when one process ends.
func TestBehindProxies(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T, port string, upstreams []string) *exec.Cmd{"caddy": caddy, "nginx": nginx} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("left out: %v", err)
			}
			sh := newShell(t, "BASE_PATH="+sharedPath, "TRUSTED_PROXIES=127.0.0.1", "FIRST_PASSWORD=correct horse battery", "MAX_UPLOAD_MB=110")
			first, second := sh.pagesAlone(t), sh.pagesAlone(t)
			port := freePort(t)
			began(t, start(t, port, []string{hostOf(first.url), hostOf(second.url)}))
			c := newProxied(t, "https://localhost:"+port)
			c.waits(t)
			c.signsIn(t)
			c.follows(t)
			c.uploads(t)
			if err := first.stop(); err != nil {
				t.Fatal(err)
			}
			for range 20 {
				c.opens(t, library(link.Documents))
			}
		})
	}
}

// pagesAlone serves pages without doing the work.
func (sh shell) pagesAlone(t *testing.T) *served {
	t.Helper()
	built(t)
	s, _, _ := sh.env()
	s.noWork = true
	cfg, err := s.load("")
	if err != nil {
		t.Fatal(err)
	}
	return launched(t, cfg, s)
}

func hostOf(address string) string { return strings.TrimPrefix(address, "http://") }

func freePort(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// began starts a proxy that ends with the test.
func began(t *testing.T, proxy *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	proxy.Stdout, proxy.Stderr = &said, &said
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = proxy.Process.Kill()
		_ = proxy.Wait()
		if t.Failed() {
			t.Logf("the proxy says\n%s", said.String())
		}
	})
}

func caddy(t *testing.T, port string, upstreams []string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	proxy := exec.CommandContext(context.Background(), "caddy", "run", "--adapter", "caddyfile", "--config", "../../deploy/caddy/Caddyfile")
	proxy.Env = append(os.Environ(), "CLEW_SITE=https://localhost:"+port, "CLEW_HTTP_PORT="+freePort(t), "CLEW_UPSTREAMS="+strings.Join(upstreams, " "),
		"HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	return proxy
}

func nginx(t *testing.T, port string, upstreams []string) *exec.Cmd {
	t.Helper()
	text, err := os.ReadFile("../../deploy/nginx/clew.conf")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate(t, dir)
	site := string(text)
	for from, to := range map[string]string{
		"listen 443 ssl": "listen 127.0.0.1:" + port + " ssl", "/etc/ssl/": dir + "/", "server 127.0.0.1:8080": "server " + upstreams[0], "# server 127.0.0.1:8081": "server " + upstreams[1],
	} {
		if !strings.Contains(site, from) {
			t.Fatalf("%q is not in the file", from)
		}
		site = strings.ReplaceAll(site, from, to)
	}
	file(t, dir, "clew.conf", site)
	paths := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		paths += fmt.Sprintf("%s_temp_path %s/%s;\n", kind, dir, kind)
	}
	whole := file(t, dir, "nginx.conf", fmt.Sprintf("daemon off; master_process off; pid %[1]s/pid; error_log stderr;\nevents {}\nhttp {\naccess_log off;\n%[2]sinclude %[1]s/clew.conf;\n}\n", dir, paths))
	return exec.CommandContext(context.Background(), "nginx", "-p", dir, "-c", whole)
}

// certificate writes one that nobody has signed, with its key.
func certificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	signed, err := x509.CreateCertificate(rand.Reader, own, own, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file(t, dir, "clew.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})))
	file(t, dir, "clew.key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
}

// proxied is a browser of a site behind a proxy.
type proxied struct {
	*http.Client
	site string
}

func newProxied(t *testing.T, site string) proxied {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return proxied{&http.Client{Jar: jar, Timeout: 2 * time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}, site + sharedPath} //nolint:gosec // the test's own certificate
}

// opens opens a page and returns where that led.
func (c proxied) opens(t *testing.T, path string) *url.URL {
	t.Helper()
	at, err := c.led(path)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func (c proxied) led(path string) (*url.URL, error) {
	answer, err := c.Get(c.site + path)
	if err != nil {
		return nil, err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: status %d", path, answer.StatusCode)
	}
	return answer.Request.URL, nil
}

// waits returns when the proxy serves.
func (c proxied) waits(t *testing.T) {
	t.Helper()
	for since := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		_, err := c.led(link.Alive)
		if err == nil {
			return
		}
		if time.Since(since) > time.Minute {
			t.Fatal(err)
		}
	}
}

func (c proxied) signsIn(t *testing.T) {
	t.Helper()
	if at := c.opens(t, "/"); at.Path != sharedPath+link.Login || !strings.HasPrefix(at.Query().Get("next"), "/") {
		t.Errorf("a stranger is led to %s", at)
	}
	answer, err := c.PostForm(c.site+link.Login, url.Values{"name": {"admin"}, "password": {"correct horse battery"}, "next": {"/"}})
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if at := answer.Request.URL; at.Path != sharedPath+library("/") {
		t.Errorf("signed in, one is led to %s", at)
	}
	home, err := url.Parse(c.site + "/")
	if err != nil {
		t.Fatal(err)
	}
	if other, err := url.Parse(strings.TrimSuffix(c.site, sharedPath) + "/"); err != nil || len(c.Jar.Cookies(home)) == 0 || len(c.Jar.Cookies(other)) != 0 {
		t.Errorf("cookies of the site: %v, of the host: %v, error %v", c.Jar.Cookies(home), c.Jar.Cookies(other), err)
	}
}

// follows opens a stream, whose first event comes while it is open.
func (c proxied) follows(t *testing.T) {
	t.Helper()
	answer, err := c.Get(c.site + library("/documents/events"))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(answer.Body).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		if answer.StatusCode != http.StatusOK || strings.TrimSpace(text) == "" {
			t.Errorf("the stream has status %d and begins with %q", answer.StatusCode, text)
		}
	case <-time.After(30 * time.Second):
		t.Error("nothing came of the stream")
	}
}

// uploads sends a file of 100 MB.
func (c proxied) uploads(t *testing.T) {
	t.Helper()
	body, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("files", "ledger.csv")
		line := []byte(strings.Repeat("Maud Ferring,1871,", 56) + "\n")
		for sent := 0; err == nil && sent < 100<<20; {
			var n int
			n, err = part.Write(line)
			sent += n
		}
		if err == nil {
			err = form.Close()
		}
		w.CloseWithError(err)
	}()
	answer, err := c.Post(c.site+library(link.Documents), form.FormDataContentType(), body)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if page, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK || !bytes.Contains(page, []byte("ledger.csv")) {
		t.Errorf("the upload ends with status %d at %s, error %v", answer.StatusCode, filepath.Base(answer.Request.URL.Path), err)
	}
}
