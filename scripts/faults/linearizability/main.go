// Checks histories of single servers for linearizability. Reads {"servers": [{"server", "operations"}]} from standard input, and
// writes a line of JSON for each server. An illegal history is drawn in a page, in the folder of the only argument.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// An operation of a client. Times are µs of one clock.
type operation struct {
	// fact: takes the next number. rename: gives the server's rule a name. explain: reads the number of the last fact.
	// rule: reads the name of the rule.
	Kind string `json:"kind"`
	Call int64  `json:"call"`
	// Absent: no answer came. The operation took effect at any time after its call.
	Return *int64 `json:"return"`
	Number int    `json:"number"`
	Name   string `json:"name"`
}

type history struct {
	Server     string      `json:"server"`
	Operations []operation `json:"operations"`
}

// A server: the number of its last fact, and the name of its rule.
type state struct {
	number int
	name   string
}

// The name of a rule before the first change.
const firstName = "always"

var server = porcupine.Model{
	Init: func() interface{} { return state{0, firstName} },
	Step: func(before, input, _ interface{}) (bool, interface{}) {
		s, op := before.(state), input.(operation)
		switch op.Kind {
		case "fact":
			return op.Number == s.number+1, state{op.Number, s.name}
		case "rename":
			return true, state{s.number, op.Name}
		case "explain":
			return op.Number == s.number, s
		case "rule":
			return op.Name == s.name, s
		}
		panic("unknown operation " + op.Kind)
	},
	DescribeOperation: func(input, _ interface{}) string { return describe(input.(operation)) },
	DescribeState: func(s interface{}) string {
		return fmt.Sprintf("fact %d, rule %q", s.(state).number, s.(state).name)
	},
}

func describe(op operation) string {
	switch op.Kind {
	case "fact":
		return fmt.Sprintf("fact → %d", op.Number)
	case "explain":
		return fmt.Sprintf("explain → fact %d", op.Number)
	}
	return fmt.Sprintf("%s %q", op.Kind, op.Name)
}

type verdict struct {
	Server     string                `json:"server"`
	Operations int                   `json:"operations"`
	Result     porcupine.CheckResult `json:"result"`
	// Operations in the longest order that the model allows, and the earliest one that has no place in it.
	Longest int    `json:"longest,omitempty"`
	Stuck   string `json:"stuck,omitempty"`
	Page    string `json:"page,omitempty"`
}

func check(h history, folder string) (verdict, error) {
	var end int64
	for _, op := range h.Operations {
		if op.Return != nil && *op.Return > end {
			end = *op.Return
		}
		if op.Call > end {
			end = op.Call
		}
	}
	var operations []porcupine.Operation
	for _, op := range h.Operations {
		one := porcupine.Operation{Input: op, Call: op.Call, Return: end + 1}
		if op.Return != nil {
			one.Return = *op.Return
		}
		operations = append(operations, one)
	}
	v := verdict{Server: h.Server, Operations: len(operations)}
	v.Result = porcupine.CheckOperationsTimeout(server, operations, time.Minute)
	if v.Result != porcupine.Illegal {
		return v, nil
	}
	draw(operations)
	_, info := porcupine.CheckOperationsVerbose(server, operations, time.Minute)
	v.Longest, v.Stuck = stuck(operations, info)
	v.Page = filepath.Join(folder, h.Server+".html")
	return v, porcupine.VisualizePath(server, info, v.Page)
}

// Puts operations at the same time into different rows of the page.
func draw(operations []porcupine.Operation) {
	sort.Slice(operations, func(i, j int) bool { return operations[i].Call < operations[j].Call })
	var ends []int64
	for i, op := range operations {
		row := 0
		for row < len(ends) && ends[row] >= op.Call {
			row++
		}
		if row == len(ends) {
			ends = append(ends, 0)
		}
		ends[row] = op.Return
		operations[i].ClientId = row
		operations[i].Metadata = i
	}
}

// Returns the length of the longest partial linearization, and the first operation by its end that is not in it.
func stuck(operations []porcupine.Operation, info porcupine.LinearizationInfo) (int, string) {
	placed := map[int]bool{}
	for _, partition := range info.PartialLinearizationsOperations() {
		for _, order := range partition {
			if len(order) <= len(placed) {
				continue
			}
			placed = map[int]bool{}
			for _, op := range order {
				placed[op.Metadata.(int)] = true
			}
		}
	}
	first := -1
	for i, op := range operations {
		if !placed[i] && (first < 0 || op.Return < operations[first].Return) {
			first = i
		}
	}
	if first < 0 {
		return len(placed), ""
	}
	op := operations[first]
	return len(placed), fmt.Sprintf("%s, from %d to %d µs", describe(op.Input.(operation)), op.Call, op.Return)
}

func main() {
	var input struct {
		Servers []history `json:"servers"`
	}
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fail(json.NewDecoder(os.Stdin).Decode(&input))
	for _, h := range input.Servers {
		v, err := check(h, os.Args[1])
		fail(err)
		fail(json.NewEncoder(os.Stdout).Encode(v))
	}
}
