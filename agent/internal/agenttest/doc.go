// Package agenttest holds what the tests of agents and flows share: models that
// answer from a script, small tools, and runs written down as text.
package agenttest
