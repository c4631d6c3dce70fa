/// Questions about a certificate.
#pragma once

#include <string>

namespace tw {

/// "has expired on Mar  1 12:00:00 2026 GMT", or "is valid only from ... on: a clock may be wrong";
/// empty: the first certificate of `pem` is in date, or none can be read.
std::string out_of_date(std::string const& pem);

/// Whether the first certificate of `pem` belongs to the private key of `key_pem`.
bool is_pair(std::string const& pem, std::string const& key_pem);

}  // namespace tw
