package agent

import (
	"context"

	"github.com/codemode-go/codemode/codetool"
)

// User and Order are what the shop of this example has.
type (
	User struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	Order struct {
		ID     string `json:"id"`
		UserID string `json:"userId"`
		Total  int    `json:"total"`
		Status string `json:"status"`
	}
)

// Shop is two Go functions as tools. Their schemas, and with them the declarations that the model reads, come from the
// types of what they take and return.
func Shop() codetool.Provider {
	users := []User{{"u1", "Ada"}, {"u2", "Grace"}}
	orders := []Order{{"o1", "u1", 42, "shipped"}, {"o2", "u1", 7, "pending"}, {"o3", "u2", 100, "shipped"}}
	type ofUser struct {
		UserID string `json:"userId" jsonschema_description:"The id of the user whose orders to return."`
	}
	return codetool.Provider{Tools: []codetool.RawTool{
		codetool.Func("listUsers", "Every user this host knows about.", func(context.Context, struct{}) ([]User, error) {
			return users, nil
		}),
		codetool.Func("listOrders", "Orders belonging to one user.", func(_ context.Context, in ofUser) ([]Order, error) {
			found := []Order{}
			for _, order := range orders {
				if order.UserID == in.UserID {
					found = append(found, order)
				}
			}
			return found, nil
		}),
	}}
}
