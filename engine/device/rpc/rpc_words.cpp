#include "engine/device/rpc/rpc_words.h"

#include <fmt/format.h>
#include <grpc/support/log.h>

#include <algorithm>
#include <mutex>

#include "engine/device/rpc/certificate.h"
#include "engine/device/words.h"

namespace tw {
namespace {

struct Reason {
  char const* sign;   ///< in gRPC's words
  char const* words;  ///< in ours
};
constexpr Reason kReasons[] = {
    {"Connection refused", "nothing listens there"},
    {"CERTIFICATE_VERIFY_FAILED", "its certificate is not the one that was added with it"},
    {"certificate verify failed", "its certificate is not the one that was added with it"},
    {"Peer name", "its certificate is for another host name"},
    {"Hostname Verification", "its certificate is for another host name"},
    {"WRONG_VERSION_NUMBER", "it does not speak TLS"},
    {"wrong version number", "it does not speak TLS"},
    {"Invalid cert chain", "the certificate file that was added with it holds no certificate"},
    {"DNS resolution failed", "there is no such host"},
    {"timed out", "it does not answer"},
    {"No route to host", "there is no route to it"},
    {"Network is unreachable", "the network is down"},
    {"handshake failed", "the TLS handshake failed"},
    {"Socket closed", "it closed the connection, as one that speaks TLS does to a client without"},
};

std::string tidy(std::string const& text) { return one_line(text, 300); }

bool is_about_certificate(std::string const& message) {
  return message.find("ERTIFICATE_VERIFY_FAILED") != std::string::npos ||
         message.find("ertificate verify failed") != std::string::npos;
}

std::string reason_of(std::string const& message, std::string const& certificate) {
  // gRPC does not tell what was wrong with it.
  if (std::string dates = out_of_date(certificate); !dates.empty() && is_about_certificate(message))
    return "its certificate " + dates;
  for (Reason const& reason : kReasons)
    if (message.find(reason.sign) != std::string::npos) return reason.words;
  size_t last = message.find("last error: ");
  std::string reason = last == std::string::npos ? message : message.substr(last + 12);
  if (reason.empty() || reason == "OK")
    return "what answers there is not a Tilewright device of this version";
  return tidy(reason);
}

Error unavailable(std::string message) {
  return {"device_unavailable", std::move(message), {}, Fault::kEnvironment};
}

}  // namespace

Error error_of(grpc::Status const& status, std::string const& address, bool connected,
               std::string const& certificate) {
  using enum grpc::StatusCode;
  switch (status.error_code()) {
    case UNAUTHENTICATED:
      return {"device_refused",
              fmt::format("the device at {} did not accept the token", address),
              {},
              Fault::kEnvironment};
    case RESOURCE_EXHAUSTED:
    case FAILED_PRECONDITION:
    case INVALID_ARGUMENT:
      return {"device_refused",
              fmt::format("the device at {} refused: {}", address, tidy(status.error_message())),
              {},
              Fault::kEnvironment};
    case UNIMPLEMENTED:
      return unavailable(
          fmt::format("what answers at {} is not a Tilewright device of this version", address));
    case OK:
      if (!connected) break;
      return {"device_lost",
              fmt::format("the device at {} ended the connection", address),
              {},
              Fault::kEnvironment};
    default:
      break;
  }
  if (connected)
    return {"device_lost",
            fmt::format("the connection to the device at {} was lost", address),
            {},
            Fault::kEnvironment};
  if (status.ok())
    return unavailable(
        fmt::format("what answers at {} is not a Tilewright device of this version", address));
  return unavailable(fmt::format("the device at {} cannot be reached: {}", address,
                                 reason_of(status.error_message(), certificate)));
}

void keep_grpc_silent() {
  static std::once_flag once;
  std::call_once(once, [] { gpr_set_log_function([](gpr_log_func_args*) {}); });
}

}  // namespace tw
