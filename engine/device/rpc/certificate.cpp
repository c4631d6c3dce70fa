#include "engine/device/rpc/certificate.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

namespace tw {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

std::unique_ptr<BIO, Free> reader_of(std::string const& text) {
  return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(text.data(), int(text.size())));
}

std::unique_ptr<X509, Free> certificate_of(std::string const& pem) {
  auto in = reader_of(pem);
  return std::unique_ptr<X509, Free>(in ? PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)
                                        : nullptr);
}

std::string text_of(ASN1_TIME const* time) {
  std::unique_ptr<BIO, Free> out(BIO_new(BIO_s_mem()));
  char text[64] = {};
  if (!out || ASN1_TIME_print(out.get(), time) != 1) return "an unknown day";
  int count = BIO_read(out.get(), text, sizeof text - 1);
  return {text, size_t(count > 0 ? count : 0)};
}

}  // namespace

std::string out_of_date(std::string const& pem) {
  auto certificate = certificate_of(pem);
  if (!certificate) return {};
  ASN1_TIME const* from = X509_get0_notBefore(certificate.get());
  ASN1_TIME const* until = X509_get0_notAfter(certificate.get());
  if (X509_cmp_current_time(until) < 0) return "has expired on " + text_of(until);
  if (X509_cmp_current_time(from) > 0)
    return "is valid only from " + text_of(from) + " on: a clock may be wrong";
  return {};
}

bool is_pair(std::string const& pem, std::string const& key_pem) {
  auto certificate = certificate_of(pem);
  auto in = reader_of(key_pem);
  if (!certificate || !in) return false;
  // An empty password: a key that wants one is of no use to a server, which must not ask for it.
  char none[] = "";
  std::unique_ptr<EVP_PKEY, Free> key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, none));
  return key && X509_check_private_key(certificate.get(), key.get()) == 1;
}

}  // namespace tw
