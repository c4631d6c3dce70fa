#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/output.h"
#include "engine/device/rpc/address.h"
#include "engine/device/rpc/token_file.h"
#include "engine/support/files.h"

extern char** environ;

namespace tw::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string folder;
  std::vector<std::string> hosts;
};

/// "DNS:board.local" or "IP:10.0.0.7". Errors: bad_host.
Result<std::string> alternative_name(std::string const& host) {
  auto address = parse_address(host + ":1");
  if (!address) address = parse_address("[" + host + "]:1");
  if (!address)
    return bad_input("bad_host",
                     fmt::format("'{}' is neither a host name nor an IP address", host));
  bool number = host.find_first_not_of("0123456789abcdefABCDEF:.") == std::string::npos;
  return fmt::format("{}:{}", number ? "IP" : "DNS", host);
}

/// Runs it without what it says; its exit code, or -1 when it cannot be started.
int run_quietly(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  int error = posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  if (error != 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

bool holds(fs::path const& file, std::string_view words) {
  auto text = read_file(file);
  return text && text->find(words) != std::string::npos;
}

Status make_certificate(fs::path const& folder, std::vector<std::string> const& hosts) {
  std::string names;
  for (std::string const& host : hosts) {
    TRY_ASSIGN(std::string name, alternative_name(host));
    names += (names.empty() ? "" : ",") + name;
  }
  int code =
      run_quietly({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                   "ec_paramgen_curve:prime256v1", "-nodes", "-days", "825", "-subj",
                   "/CN=tilewright device", "-addext", "subjectAltName=" + names, "-keyout",
                   (folder / "device.key").string(), "-out", (folder / "device.pem").string()});
  // It says 0 on a full disk, too.
  bool whole = holds(folder / "device.key", "-----END") && holds(folder / "device.pem", "-----END");
  if (code == 0 && whole) return {};
  if (code == 127 || code < 0)
    return environment_failed(
        "no_openssl",
        "the command openssl, which makes the key, is missing: install the package openssl");
  return environment_failed(
      "no_certificate",
      fmt::format("openssl could not make a certificate in {}: the disk may be full",
                  folder.string()));
}

Status make_token(fs::path const& file) {
  TRY(add_token(file, ""));
  return {};
}

/// New files only: a device that is in use keeps its own. All three or none.
Status make_all(Arguments const& arguments) {
  fs::path folder = arguments.folder;
  TRY(make_folder(folder));
  std::error_code error;
  auto names = {"device.pem", "device.key", "device.token"};
  for (char const* name : names)
    if (fs::exists(folder / name, error))
      return bad_input("file_exists", "already exists: remove it to make a new one",
                       Place{(folder / name).string(), 0, 0, {}});
  Status made = make_certificate(folder, arguments.hosts);
  if (made) made = make_token(folder / "device.token");
  if (!made)
    for (char const* name : names) fs::remove(folder / name, error);
  return made;
}

int certificate(Context const& context, Arguments const& arguments) {
  if (Status made = make_all(arguments); !made) return report(context, made.error());
  std::string at = fs::path(arguments.folder).string();
  if (context.json)
    return print({{"certificate", at + "/device.pem"},
                  {"key", at + "/device.key"},
                  {"token", at + "/device.token"}}),
           0;
  fmt::print(
      "on the device:  tw device serve --listen 0.0.0.0:50151 --tls-cert {0}/device.pem "
      "--tls-key {0}/device.key --token-file {0}/device.token\n"
      "on the client, with copies of device.pem and device.token:\n"
      "                tw devices add NAME {1}:50151 --ca device.pem --token-file device.token\n",
      at, arguments.hosts.front());
  return 0;
}

}  // namespace

void add_certificate(Command device, Context& context) {
  auto command = device.add_subcommand(
      "certificate", "make a certificate, its key and a token for `tw device serve`");
  auto arguments = std::make_shared<Arguments>();
  command.add_option("FOLDER", arguments->folder, "the folder for the three files").required();
  command
      .add_option("--host", arguments->hosts, "host names and IP addresses that clients use for it")
      .type_name("HOST")
      .required()
      .repeatable();
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return certificate(context, *arguments); };
  });
}

}  // namespace tw::cli
