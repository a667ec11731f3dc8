// SPDX-License-Identifier: Apache-2.0
// The certificate of a server that nobody else vouches for: clients compare
// its fingerprint.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_server.h"

struct x509_st;

namespace wick {

// Valid for ten years under these names and addresses.
TlsIdentity make_tls_identity(const std::vector<std::string>& hosts);

// SHA-256 of the first certificate, as "AB:CD:…"; an Error if it is none.
std::string fingerprint(std::string_view certificate_chain);
std::string fingerprint(const x509_st& certificate);

}  // namespace wick
