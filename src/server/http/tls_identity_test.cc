// SPDX-License-Identifier: Apache-2.0
#include "server/http/tls_identity.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "base/error.h"

namespace wick {
namespace {

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  while (std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    out.append(buffer.data(), n);
  ::pclose(pipe);
  return out;
}

HttpResponse hello(const HttpRequest& request) {
  return {.body = request.is_encrypted ? "safe" : "open"};
}

class TlsIdentityTest : public testing::Test {
 protected:
  void SetUp() override {
    if (output_of("command -v openssl").empty())
      GTEST_SKIP() << "there is no openssl to compare with";
    std::string name = testing::TempDir() + "wick-tls-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(folder_ + "/cert.pem") << identity_.certificate_chain;
  }
  void TearDown() override {
    if (!folder_.empty()) output_of("rm -r " + folder_);
  }

  TlsIdentity identity_ = make_tls_identity({"build7", "10.0.0.7", "a,DNS:b"});
  std::string folder_;
};

TEST_F(TlsIdentityTest, NamesTheServer) {
  const std::string text =
      output_of("openssl x509 -noout -text -in " + folder_ + "/cert.pem");
  EXPECT_NE(text.find("DNS:localhost, IP Address:127.0.0.1, "
                      "IP Address:0:0:0:0:0:0:0:1, DNS:build7, "
                      "IP Address:10.0.0.7\n"),
            std::string::npos)
      << text;
}

TEST_F(TlsIdentityTest, HasTheFingerprintThatOpensslPrints) {
  EXPECT_EQ(
      "sha256 Fingerprint=" + fingerprint(identity_.certificate_chain) + "\n",
      output_of("openssl x509 -noout -fingerprint -sha256 -in " + folder_ +
                "/cert.pem"));
}

TEST_F(TlsIdentityTest, EncryptsARequest) {
  HttpServer server("127.0.0.1", 0, identity_, {}, hello);
  EXPECT_TRUE(
      output_of("printf 'GET / HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n' | "
                "openssl s_client -quiet -verify_return_error -CAfile " +
                folder_ + "/cert.pem -verify_ip 127.0.0.1 -connect 127.0.0.1:" +
                std::to_string(server.port()) + " 2>&1")
          .ends_with("\r\n\r\nsafe"));
}

TEST_F(TlsIdentityTest, OldVersionsOfTlsAreRefused) {
  HttpServer server("127.0.0.1", 0, identity_, {}, hello);
  EXPECT_EQ(output_of("openssl s_client -tls1_1 -connect 127.0.0.1:" +
                      std::to_string(server.port()) + " </dev/null 2>&1")
                .find("Cipher is ECDHE"),
            std::string::npos);
}

TEST(TlsIdentity, WhatIsNoneIsRefused) {
  EXPECT_THROW(fingerprint("no certificate"), Error);
  const TlsIdentity one = make_tls_identity({}), other = make_tls_identity({});
  EXPECT_THROW(HttpServer("127.0.0.1", 0,
                          TlsIdentity{one.certificate_chain, other.private_key},
                          {}, hello),
               Error);
  EXPECT_THROW(HttpServer("127.0.0.1", 0, TlsIdentity{"x", "y"}, {}, hello),
               Error);
}

}  // namespace
}  // namespace wick
