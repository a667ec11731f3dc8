// SPDX-License-Identifier: Apache-2.0
#include "server/http/tls_identity.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <iterator>
#include <memory>

#include "base/error.h"

namespace wick {
namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* what) const {
    Free(what);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;

template <class T>
T checked(T result) {
  if (!result) fail("OpenSSL cannot make a certificate");
  return result;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

// "DNS:build7,IP:10.0.0.7". Names with other characters than host names have
// would add fields of their own, so they are left out.
std::string alternative_names(const std::vector<std::string>& hosts) {
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
  for (const std::string& host : hosts) {
    in6_addr ignored;
    const bool is_address = inet_pton(AF_INET, host.c_str(), &ignored) == 1 ||
                            inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
    const bool is_name =
        !host.empty() &&
        host.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyz"
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.") == std::string::npos;
    if (is_address || is_name)
      fmt::format_to(std::back_inserter(names), ",{}:{}",
                     is_address ? "IP" : "DNS", host);
  }
  return names;
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(
      checked(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str())));
  checked(X509_add_ext(certificate, extension.get(), -1));
}

void describe(X509* certificate, const std::vector<std::string>& hosts) {
  constexpr long kTenYears = 3652L * 24 * 60 * 60;
  checked(X509_set_version(certificate, 2));  // the third
  std::uint64_t serial = 0;
  checked(RAND_bytes(reinterpret_cast<unsigned char*>(&serial),
                     sizeof serial) == 1);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), kTenYears);
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* title = reinterpret_cast<const unsigned char*>("wick");
  checked(
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, title, -1, -1, 0));
  checked(X509_set_issuer_name(certificate, name));
  add_extension(certificate, NID_subject_alt_name, alternative_names(hosts));
  add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate, NID_ext_key_usage, "serverAuth");
}

}  // namespace

TlsIdentity make_tls_identity(const std::vector<std::string>& hosts) {
  const Key key(checked(EVP_EC_gen("P-256")));
  const Certificate certificate(checked(X509_new()));
  checked(X509_set_pubkey(certificate.get(), key.get()));
  describe(certificate.get(), hosts);
  checked(X509_sign(certificate.get(), key.get(), EVP_sha256()));
  const Bio chain(checked(BIO_new(BIO_s_mem())));
  checked(PEM_write_bio_X509(chain.get(), certificate.get()));
  const Bio secret(checked(BIO_new(BIO_s_mem())));
  checked(PEM_write_bio_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0,
                                   nullptr, nullptr));
  return {.certificate_chain = text_of(chain.get()),
          .private_key = text_of(secret.get())};
}

std::string fingerprint(std::string_view certificate_chain) {
  const Bio bio(checked(BIO_new_mem_buf(
      certificate_chain.data(), static_cast<int>(certificate_chain.size()))));
  const Certificate certificate(
      PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (!certificate) fail("this is not a certificate in PEM");
  return fingerprint(*certificate);
}

std::string fingerprint(const X509& certificate) {
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (X509_digest(&certificate, EVP_sha256(), hash, &size) != 1)
    fail("OpenSSL cannot compute a hash");
  std::string text;
  for (unsigned int i = 0; i < size; ++i)
    fmt::format_to(std::back_inserter(text), "{}{:02X}", i == 0 ? "" : ":",
                   hash[i]);
  return text;
}

}  // namespace wick
