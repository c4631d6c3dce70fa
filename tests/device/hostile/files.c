/* Files and the disk. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <utime.h>

#include "hostile.h"

static int read_one(char const* path) {
  char byte;
  int file = open(path, O_RDONLY);
  if (file < 0) return errno;
  int result = read(file, &byte, 1) == 1 ? 0 : (errno ? errno : EIO);
  close(file);
  return result;
}

static int read_of(long process, char const* name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/%s", process, name);
  return read_one(path);
}

static void beside(void* const* buffers, char* path) {
  snprintf(path, 300, "%s/left", TOLD->folder);
}

ACT(read_a_file_of_the_user) { return (void)runtime, read_one(TOLD->file); }
ACT(read_the_passwords) { return UNUSED, read_one("/etc/passwd"); }
ACT(read_the_servers_environment) { return (void)runtime, read_of(TOLD->server, "environ"); }
ACT(read_the_servers_command) { return (void)runtime, read_of(TOLD->server, "cmdline"); }
ACT(read_the_servers_memory) { return (void)runtime, read_of(TOLD->server, "mem"); }
ACT(read_the_map_of_the_server) { return (void)runtime, read_of(TOLD->server, "maps"); }

ACT(list_a_folder) {
  (void)runtime;
  DIR* folder = opendir(TOLD->folder);
  if (!folder) return errno;
  struct dirent* entry = readdir(folder);
  return entry ? 0 : EIO;
}

ACT(ask_for_the_size_of_a_file) {
  (void)runtime;
  struct stat facts;
  return outcome(stat(TOLD->file, &facts));
}
ACT(ask_for_facts_in_the_new_way) {
  (void)runtime;
  struct statx facts;
  return outcome(statx(AT_FDCWD, TOLD->file, 0, STATX_ALL, &facts));
}
ACT(ask_whether_a_file_is_there) { return (void)runtime, outcome(access(TOLD->file, F_OK)); }
ACT(read_a_link) {
  UNUSED;
  char path[256];
  return outcome(readlink("/proc/self/exe", path, sizeof path));
}

ACT(make_a_file_elsewhere) {
  (void)runtime;
  char path[300];
  beside(buffers, path);
  return outcome(open(path, O_WRONLY | O_CREAT, 0600));
}
ACT(make_a_file_here) { return UNUSED, outcome(open("mine", O_WRONLY | O_CREAT, 0600)); }
ACT(make_a_file_without_a_name) { return UNUSED, outcome(open(".", O_TMPFILE | O_RDWR, 0600)); }
ACT(write_into_a_file) { return (void)runtime, outcome(open(TOLD->file, O_WRONLY | O_APPEND)); }
ACT(empty_a_file) { return (void)runtime, outcome(truncate(TOLD->file, 0)); }
ACT(empty_a_file_by_opening_it) {
  return (void)runtime, outcome(open(TOLD->file, O_RDONLY | O_TRUNC));
}
ACT(remove_a_file) { return (void)runtime, outcome(unlink(TOLD->file)); }
ACT(rename_a_file) {
  (void)runtime;
  char path[300];
  beside(buffers, path);
  return outcome(rename(TOLD->file, path));
}
ACT(link_a_file) { return (void)runtime, outcome(link(TOLD->file, "linked")); }
ACT(make_a_symbolic_link) {
  (void)runtime;
  char path[300];
  beside(buffers, path);
  return outcome(symlink("/etc", path));
}
ACT(make_a_folder) {
  (void)runtime;
  char path[300];
  beside(buffers, path);
  return outcome(mkdir(path, 0700));
}
ACT(make_a_pipe_with_a_name) {
  (void)runtime;
  char path[300];
  beside(buffers, path);
  return outcome(mkfifo(path, 0600));
}
ACT(open_a_file_to_everybody) { return (void)runtime, outcome(chmod(TOLD->file, 0777)); }
ACT(give_a_file_away) { return (void)runtime, outcome(chown(TOLD->file, -1, getgid())); }
ACT(change_the_time_of_a_file) { return (void)runtime, outcome(utime(TOLD->file, NULL)); }
ACT(add_to_what_a_file_carries) {
  return (void)runtime, outcome(setxattr(TOLD->file, "user.tw", "1", 1, 0));
}
ACT(watch_a_file) {
  (void)runtime;
  int watch = inotify_init();
  return watch < 0 ? errno : outcome(inotify_add_watch(watch, TOLD->folder, IN_ALL_EVENTS));
}
ACT(mount_something) { return UNUSED, outcome(mount("none", "/mnt", "tmpfs", 0, "")); }
ACT(change_the_root) { return (void)runtime, outcome(chroot(TOLD->folder)); }

ACT(fill_the_disk) {
  UNUSED;
  static char block[1 << 20];
  memset(block, 7, sizeof block);
  int64_t written = 0;
  for (int i = 0; i < 64; ++i) {
    char name[32];
    snprintf(name, sizeof name, "full-%d", i);
    int file = open(name, O_WRONLY | O_CREAT, 0600);
    if (file < 0) return errno;
    for (int j = 0; j < 16; ++j) {
      long count = write(file, block, sizeof block);
      if (count <= 0) return errno;
      written += count;
    }
    close(file);
  }
  return written > (512 << 20) ? 0 : EDQUOT;
}

ACT(read_what_the_server_knows) {
  UNUSED;
  return getenv("TW_TEST_SECRET") ? 0 : ENOENT;
}
ACT(write_to_the_terminal) {
  UNUSED;
  char const words[] = "\033]0;hostile\007HOSTILE-WORDS\n";
  write(2, words, sizeof words - 1);
  return outcome(write(1, words, sizeof words - 1)); /* 0: the test looks at what came out */
}
ACT(type_into_the_terminal) {
  UNUSED;
  char letter = 'x';
  return outcome(syscall(SYS_ioctl, 0, 0x5412 /* TIOCSTI */, &letter));
}
ACT(open_a_file_in_the_newest_way) {
  (void)runtime;
  uint64_t how[3] = {O_RDONLY, 0, 0};
  return outcome(syscall(SYS_openat2, AT_FDCWD, TOLD->file, how, sizeof how));
}
ACT(ask_for_the_handle_of_a_file) {
  (void)runtime;
  struct file_handle* handle = calloc(1, sizeof *handle + 128);
  int mount = 0;
  handle->handle_bytes = 128;
  return outcome(name_to_handle_at(AT_FDCWD, TOLD->file, handle, &mount, 0));
}
ACT(watch_all_files) { return UNUSED, outcome(syscall(SYS_fanotify_init, 0, O_RDONLY)); }
ACT(read_the_log_of_the_system) {
  UNUSED;
  char room[64];
  return outcome(syscall(SYS_syslog, 3, room, sizeof room));
}
