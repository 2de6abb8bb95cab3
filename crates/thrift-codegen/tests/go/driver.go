// Reads values from standard input, one per line, and writes what generated code says of them.
//
// A line is a case and a JSON value with a tab between them. The answer is a line with the rule and the path, or `valid`, and
// how often a valid value made the method allocate.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

type validated interface{ Validate() error }

type violated interface {
	error
	Violation() (path, rule, value, wanted, message string)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), "\t")
		if name == "options" {
			fmt.Println(options())
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value interface{}
		if err := decoder.Decode(&value); err != nil {
			panic(err)
		}
		root := roots[name]()
		fill(reflect.ValueOf(root).Elem(), value)
		fmt.Println(verdict(root.(validated)))
	}
}

func verdict(root validated) string {
	err := root.Validate()
	if all, ok := root.(interface{ ValidateAll() []error }); ok {
		if wrong := compare(err, all.ValidateAll()); wrong != "" {
			return wrong
		}
	}
	if err == nil {
		allocations := testing.AllocsPerRun(10, func() { _ = root.Validate() })
		return fmt.Sprintf("valid\t%v", allocations)
	}
	path, rule, value, wanted, message := err.(violated).Violation()
	return fmt.Sprintf("%s @ %s\t%q %q %q", rule, path, value, wanted, message)
}

// compare says what is wrong with all errors beside the first.
func compare(first error, all []error) string {
	switch {
	case first == nil && len(all) == 0:
		return ""
	case first == nil || len(all) == 0:
		return fmt.Sprintf("all are %v, the first is %v", all, first)
	case strings.Contains(first.Error(), "["):
		// Entries of a map come in any order.
		return ""
	case named(first) != named(all[0]):
		return fmt.Sprintf("all are %v, the first is %v", all, first)
	}
	for _, err := range all {
		if err.(interface{ TranslationKey() string }).TranslationKey() == "" {
			return fmt.Sprintf("%v has no key", err)
		}
	}
	return ""
}

func named(err error) string {
	path, rule, _, _, _ := err.(violated).Violation()
	return rule + " @ " + path
}

// fill sets a value from what JSON has for it; fields are found by their tags.
func fill(target reflect.Value, value interface{}) {
	if value == nil {
		return
	}
	if target.Kind() == reflect.Ptr {
		target.Set(reflect.New(target.Type().Elem()))
		if init, ok := target.Interface().(interface{ InitDefault() }); ok {
			init.InitDefault()
		}
		fill(target.Elem(), value)
		return
	}
	if special, ok := value.(map[string]interface{}); ok && target.Kind() != reflect.Struct {
		if text, ok := special["$double"].(string); ok {
			number, err := strconv.ParseFloat(text, 64)
			if err != nil {
				panic(err)
			}
			target.SetFloat(number)
			return
		}
		if text, ok := special["$hex"].(string); ok {
			bytes, err := hex.DecodeString(text)
			if err != nil {
				panic(err)
			}
			setText(target, string(bytes))
			return
		}
	}
	switch value := value.(type) {
	case bool:
		target.SetBool(value)
	case json.Number:
		setNumber(target, string(value))
	case string:
		setText(target, value)
	case []interface{}:
		target.Set(reflect.MakeSlice(target.Type(), len(value), len(value)))
		for i, item := range value {
			fill(target.Index(i), item)
		}
	case map[string]interface{}:
		if target.Kind() == reflect.Map {
			target.Set(reflect.MakeMap(target.Type()))
			for key, item := range value {
				k, v := reflect.New(target.Type().Key()).Elem(), reflect.New(target.Type().Elem()).Elem()
				if k.Kind() == reflect.String {
					setText(k, key)
				} else {
					setNumber(k, key)
				}
				fill(v, item)
				target.SetMapIndex(k, v)
			}
			return
		}
		for i := 0; i < target.NumField(); i++ {
			name, _, _ := strings.Cut(target.Type().Field(i).Tag.Get("thrift"), ",")
			if item, ok := value[name]; ok {
				fill(target.Field(i), item)
			}
		}
	}
}

func setText(target reflect.Value, text string) {
	if target.Kind() == reflect.Slice {
		target.SetBytes([]byte(text))
	} else {
		target.SetString(text)
	}
}

func setNumber(target reflect.Value, text string) {
	if target.Kind() == reflect.Float64 {
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(err)
		}
		target.SetFloat(number)
		return
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	target.SetInt(number)
}
