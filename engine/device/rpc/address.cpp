#include "engine/device/rpc/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace tw {
namespace {

constexpr char kForm[] = "an address has the form HOST:PORT, as in 127.0.0.1:50051";

bool is_ipv4(std::string const& host) {
  in_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool is_ipv6(std::string const& host) {
  in6_addr address;
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

/// A name, and none that could be read as a kind of address ("unix") or as a number.
bool is_name(std::string const& host) {
  auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-'; };
  bool letters = std::ranges::any_of(host, [](unsigned char c) { return std::isalpha(c); });
  return letters && host.size() <= 253 && std::ranges::all_of(host, allowed);
}

bool is_loopback(std::string const& host) {
  return host == "localhost" || host == "::1" || (is_ipv4(host) && host.starts_with("127."));
}

}  // namespace

Result<DeviceAddress> parse_address(std::string_view text) {
  auto wrong = [&] {
    return bad_input("bad_address",
                     "'" + std::string(text.substr(0, 200)) + "' is not an address: " + kForm);
  };
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  std::string_view host = text.substr(0, colon), digits = text.substr(colon + 1);
  DeviceAddress address;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (error != std::errc() || end != digits.data() + digits.size()) return wrong();
  if (address.port < 0 || address.port > 65535) return wrong();
  bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  address.host = bracketed ? host.substr(1, host.size() - 2) : host;
  bool known = bracketed ? is_ipv6(address.host) : is_ipv4(address.host) || is_name(address.host);
  if (!known) return wrong();
  address.loopback = is_loopback(address.host);
  return address;
}

std::string to_text(DeviceAddress const& address) {
  bool brackets = address.host.find(':') != std::string::npos;
  std::string host = brackets ? "[" + address.host + "]" : address.host;
  return host + ":" + std::to_string(address.port);
}

Status check_secured(DeviceAddress const& address, bool encrypted, bool with_token) {
  if (address.loopback || (encrypted && with_token)) return {};
  std::string missing = encrypted ? "a token" : with_token ? "TLS" : "TLS and a token";
  return bad_input("insecure_address",
                   to_text(address) +
                       " can be reached from other machines, and a device runs any code it is "
                       "sent, so TLS and a token are required: " +
                       missing + (encrypted == with_token ? " are missing" : " is missing"));
}

}  // namespace tw
