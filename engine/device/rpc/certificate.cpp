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
};

std::string text_of(ASN1_TIME const* time) {
  std::unique_ptr<BIO, Free> out(BIO_new(BIO_s_mem()));
  char text[64] = {};
  if (!out || ASN1_TIME_print(out.get(), time) != 1) return "an unknown day";
  int count = BIO_read(out.get(), text, sizeof text - 1);
  return {text, size_t(count > 0 ? count : 0)};
}

}  // namespace

std::string out_of_date(std::string const& pem) {
  std::unique_ptr<BIO, Free> in(BIO_new_mem_buf(pem.data(), int(pem.size())));
  if (!in) return {};
  std::unique_ptr<X509, Free> certificate(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
  if (!certificate) return {};
  ASN1_TIME const* from = X509_get0_notBefore(certificate.get());
  ASN1_TIME const* until = X509_get0_notAfter(certificate.get());
  if (X509_cmp_current_time(until) < 0) return "has expired on " + text_of(until);
  if (X509_cmp_current_time(from) > 0)
    return "is valid only from " + text_of(from) + " on: a clock may be wrong";
  return {};
}

}  // namespace tw
