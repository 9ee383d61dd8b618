// Package shop is a shop's own backend code. It knows the API, and nothing of the mock server.
package shop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Shop calls the API of one project.
type Shop struct {
	URL            string
	SecretKey      string
	PublishableKey string
}

// User is a customer.
type User struct {
	ID    string `json:"id"`
	Email string `json:"email"`
}

// Session is a customer's sign-in.
type Session struct {
	Token string `json:"token"`
	User  User   `json:"user"`
}

// Call is what a transaction does.
type Call struct {
	To    string `json:"to"`
	Value string `json:"value"`
}

// Payment is a transaction to be made.
type Payment struct {
	ChainID          int    `json:"chainId"`
	AccountID        string `json:"accountId"`
	FeeSponsorshipID string `json:"feeSponsorshipId"`
	Calls            []Call `json:"calls"`
	WaitForReceipt   bool   `json:"waitForReceipt"`
}

// Receipt is there once a transaction is mined.
type Receipt struct {
	TransactionHash string `json:"transactionHash"`
	GasFee          string `json:"gasFee"`
}

// Transaction is a payment that was made.
type Transaction struct {
	ID      string   `json:"id"`
	Status  string   `json:"status"`
	Receipt *Receipt `json:"receipt"`
}

// SendCode mails a code to sign in with.
func (s Shop) SendCode(email string) error {
	body := map[string]string{"email": email, "type": "sign-in"}
	return s.call("POST", "/iam/v2/auth/email-otp/send-verification-otp", s.anonymous(), body, nil)
}

// SignIn takes the code from the mail. The first sign-in makes the user.
func (s Shop) SignIn(email, code string) (session Session, err error) {
	body := map[string]string{"email": email, "otp": code}
	err = s.call("POST", "/iam/v2/auth/sign-in/email-otp", s.anonymous(), body, &session)
	return session, err
}

// WhoIs tells whose token it is.
func (s Shop) WhoIs(token string) (User, error) {
	headers := s.anonymous()
	headers["Authorization"] = "Bearer " + token
	var session Session
	err := s.call("GET", "/iam/v2/auth/get-session", headers, nil, &session)
	return session.User, err
}

// Pay makes a payment once. If no answer came, it asks again: with the same key, nothing is paid twice.
func (s Shop) Pay(order string, payment Payment) (paid Transaction, err error) {
	headers := s.backend()
	headers["X-Idempotency-Key"] = order
	for attempt := 0; attempt < 3; attempt++ {
		err = s.call("POST", "/v2/transactions", headers, payment, &paid)
		var broken *url.Error
		if !errors.As(err, &broken) {
			break
		}
	}
	return paid, err
}

// Transaction finds a payment by its id.
func (s Shop) Transaction(id string) (found Transaction, err error) {
	err = s.call("GET", "/v2/transactions/"+id, s.backend(), nil, &found)
	return found, err
}

// Transactions lists the newest payments.
func (s Shop) Transactions() ([]Transaction, error) {
	var page struct {
		Data []Transaction `json:"data"`
	}
	err := s.call("GET", "/v2/transactions", s.backend(), nil, &page)
	return page.Data, err
}

func (s Shop) anonymous() map[string]string {
	return map[string]string{"X-Project-Key": s.PublishableKey}
}

func (s Shop) backend() map[string]string {
	return map[string]string{"Authorization": "Bearer " + s.SecretKey}
}

func (s Shop) call(method, path string, headers map[string]string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, s.URL+path, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
