/* Whoever could be reached from here. */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "hostile.h"

static struct sockaddr_in here(void* const* buffers) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons((uint16_t)TOLD->port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

ACT(connect_by_tcp) {
  (void)runtime;
  struct sockaddr_in to = here(buffers);
  int s = socket(AF_INET, SOCK_STREAM, 0);
  return s < 0 ? errno : outcome(connect(s, (struct sockaddr*)&to, sizeof to));
}
ACT(connect_by_tcp_with_the_first_bytes) {
  (void)runtime;
  struct sockaddr_in to = here(buffers);
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (s < 0) return errno;
  return outcome(sendto(s, "x", 1, MSG_FASTOPEN, (struct sockaddr*)&to, sizeof to));
}
ACT(send_by_udp) {
  (void)runtime;
  struct sockaddr_in to = here(buffers);
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  return s < 0 ? errno : outcome(sendto(s, "x", 1, 0, (struct sockaddr*)&to, sizeof to));
}
ACT(listen_for_others) {
  (void)runtime;
  struct sockaddr_in any = here(buffers);
  any.sin_port = 0;
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (s < 0) return errno;
  if (bind(s, (struct sockaddr*)&any, sizeof any) < 0) return errno;
  return outcome(listen(s, 4));
}
ACT(speak_by_ipv6) { return UNUSED, outcome(socket(AF_INET6, SOCK_DGRAM, 0)); }
ACT(ask_the_system_by_netlink) { return UNUSED, outcome(socket(AF_NETLINK, SOCK_RAW, 0)); }
ACT(speak_to_the_host_by_vsock) { return UNUSED, outcome(socket(AF_VSOCK, SOCK_STREAM, 0)); }
ACT(make_a_raw_socket) { return UNUSED, outcome(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)); }
ACT(read_packets) { return UNUSED, outcome(socket(AF_PACKET, SOCK_RAW, 0)); }
ACT(use_the_systems_ciphers) { return UNUSED, outcome(socket(AF_ALG, SOCK_SEQPACKET, 0)); }

static int by_name(char const* name, size_t length) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, name, length);
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  if (s < 0) return errno;
  return outcome(bind(s, (struct sockaddr*)&address, sizeof address));
}
ACT(make_a_socket_in_a_folder) { return UNUSED, by_name("here", 4); }
ACT(make_a_socket_without_a_path) { return UNUSED, by_name("\0tilewright-hostile", 19); }
ACT(make_a_pair_of_sockets) {
  UNUSED;
  int ends[2];
  return outcome(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
}
ACT(pass_a_descriptor_on) {
  UNUSED;
  char byte = 0, room[CMSG_SPACE(sizeof(int))];
  struct iovec piece = {&byte, 1};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  memset(room, 0, sizeof room);
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  return outcome(sendmsg(3, &message, 0));
}
ACT(ask_by_io_uring) {
  UNUSED;
  char room[256];
  memset(room, 0, sizeof room);
  return outcome(syscall(425 /* io_uring_setup */, 8, room));
}
ACT(make_a_pipe) {
  UNUSED;
  int ends[2];
  return outcome(pipe(ends));
}
ACT(make_a_queue_of_system_v) { return UNUSED, outcome(msgget(IPC_PRIVATE, IPC_CREAT | 0600)); }
ACT(make_a_semaphore_of_system_v) {
  return UNUSED, outcome(semget(IPC_PRIVATE, 1, IPC_CREAT | 0600));
}
ACT(make_a_posix_queue) {
  return UNUSED, outcome(syscall(SYS_mq_open, "tw-hostile", O_CREAT | O_RDWR, 0600, NULL));
}
ACT(wait_for_many) { return UNUSED, outcome(epoll_create1(0)); }

/* Its own line to the server: three words of a frame's head, then what they claim. */
static void frame(uint32_t kind, uint32_t length) {
  uint32_t head[3] = {0x314D5754, kind, length};
  (void)write(3, head, sizeof head);
}
static int wait_for_the_end(void) {
  sleep(10);
  return 0;
}
ACT(speak_nonsense_to_the_server) {
  UNUSED;
  for (int i = 0; i < 64; ++i) (void)write(3, "\xff\xfe nonsense", 10);
  return wait_for_the_end();
}
ACT(claim_a_huge_answer) { return UNUSED, frame(1, 0xFFFFFFFF), wait_for_the_end(); }
ACT(answer_what_nobody_asked) {
  UNUSED;
  for (int i = 0; i < 1000; ++i) frame(1, 0);
  return wait_for_the_end();
}
