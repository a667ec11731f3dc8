#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The pictures do in a browser what they should.
# It may run beside others.
exec "$SOURCE/tests/browser/run.sh" "$WICK"
