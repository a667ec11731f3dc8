// SPDX-License-Identifier: Apache-2.0
// Rights that a process gives up for good.
#pragma once

#include <span>

namespace wick {

// Of the capabilities that it has, this process keeps these, and so does what
// it executes at most: programs give it none, neither by their files nor since
// it is root's. Before other threads are started.
void keep_capabilities(std::span<const int> kept);

// Neither this process nor what it executes makes another socket or connects
// one. Those that it has still work: a listening one can accept connections.
void forbid_new_sockets();

}  // namespace wick
