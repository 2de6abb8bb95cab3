// Package middleware puts generated rules before the handlers of a kitex server.
//
//	orders.NewServer(handler, server.WithMiddleware(middleware.Validate))
package middleware

import (
	"context"

	"github.com/cloudwego/kitex/pkg/endpoint"
	"github.com/cloudwego/kitex/pkg/remote"
)

// validationFailed is the type of a TApplicationException for a failed validation.
const validationFailed = 11

// Validate answers a call whose arguments break a rule; the handler never sees it. The error names the argument, the
// value and the rule.
func Validate(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, req, resp interface{}) error {
		// Kitex hands over the struct of the arguments, which has a method if there is a rule in it or below it.
		if args, ok := req.(interface{ Validate() error }); ok {
			if err := args.Validate(); err != nil {
				return remote.NewTransError(validationFailed, err)
			}
		}
		return next(ctx, req, resp)
	}
}
