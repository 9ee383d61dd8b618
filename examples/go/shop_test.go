package shop

import "testing"

const ada = "ada@example.com"

func TestCustomerSignsInByCode(t *testing.T) {
	project, shop := connect(t)

	first := signIn(t, project, shop)
	user, err := shop.WhoIs(first.Token)
	if err != nil {
		t.Fatal(err)
	}
	if user != first.User || user.Email != ada {
		t.Errorf("the token is %v's, not %v's", user, first.User)
	}

	again := signIn(t, project, shop)
	if again.User.ID != first.User.ID {
		t.Errorf("signing in again makes another user: %s, %s", first.User.ID, again.User.ID)
	}
}

func TestSponsoredPaymentConfirms(t *testing.T) {
	project, shop := connect(t)

	paid, err := shop.Pay("order-16", payment(project))
	if err != nil {
		t.Fatal(err)
	}
	if paid.Status != "sent" {
		t.Errorf("the payment is %s", paid.Status)
	}

	project.advance("2")
	confirmed, err := shop.Transaction(paid.ID)
	if err != nil {
		t.Fatal(err)
	}
	if confirmed.Status != "successful" || confirmed.Receipt == nil || confirmed.Receipt.TransactionHash == "" {
		t.Fatalf("the payment is %+v", confirmed)
	}
	if spent := project.spent(project.id("sponsorship")); spent != confirmed.Receipt.GasFee {
		t.Errorf("the sponsor paid %s of %s wei", spent, confirmed.Receipt.GasFee)
	}
}

func TestLostAnswerIsRetriedOnce(t *testing.T) {
	project, shop := connect(t)
	project.load(`
name: lost answer
rules:
  - when: CreateTransaction
    then: {fault: {connection_reset_by_peer: {effect: done, times: 1}}}
`)

	paid, err := shop.Pay("order-17", payment(project))
	if err != nil {
		t.Fatal(err)
	}

	all, err := shop.Transactions()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].ID != paid.ID {
		t.Errorf("there are %d payments: %+v", len(all), all)
	}
	project.verify(`{"call": "CreateTransaction", "headers": {"x-idempotency-key": "order-17"}, "exactly": 2}`)
}

func connect(t *testing.T) (*MockProject, Shop) {
	t.Helper()
	project := newProject(t, "../shop.yaml")
	return project, Shop{
		URL:            project.URL,
		SecretKey:      project.SecretKey,
		PublishableKey: project.PublishableKey,
	}
}

func signIn(t *testing.T, project *MockProject, shop Shop) Session {
	t.Helper()
	if err := shop.SendCode(ada); err != nil {
		t.Fatal(err)
	}
	session, err := shop.SignIn(ada, project.code(ada))
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func payment(project *MockProject) Payment {
	return Payment{
		ChainID:          80002,
		AccountID:        project.id("till"),
		FeeSponsorshipID: project.id("sponsorship"),
		Calls:            []Call{{To: "0x00000000000000000000000000000000000000a1", Value: "1000"}},
	}
}
