{
  'variables': {
    # npm run native:sanitize sets this.
    'sanitize%': 0,
    # npm run native:secrets sets this.
    'secrets%': 0,
    # The sources of libsecp256k1 that the npm package carries. We compile them, and keep no copy.
    'libsecp256k1': '<!(node -p "require(\'node:path\').dirname(require.resolve(\'secp256k1/package.json\')) + \'/src/secp256k1\'")',
  },
  'target_defaults': {
    'include_dirs': ['<(libsecp256k1)', '<(libsecp256k1)/src', '<(libsecp256k1)/include'],
    'defines': [
      'NAPI_VERSION=8',
      # As the package builds the library itself, but for the field: compilers for ARM have 128-bit integers too.
      'ECMULT_GEN_PREC_BITS=4',
      'ECMULT_WINDOW_SIZE=15',
      'ENABLE_MODULE_RECOVERY=1',
      'USE_ENDOMORPHISM=1',
      'USE_NUM_NONE=1',
      'USE_FIELD_INV_BUILTIN=1',
      'USE_SCALAR_INV_BUILTIN=1',
    ],
    # The symbols of the library are ours alone: another addon may bring the same ones.
    'ldflags': ['-Wl,-Bsymbolic'],
    # SECURITY: without -fno-thread-jumps GCC makes a branch of a carry in the library's multiplication of secret scalars (ARM, -O2, -O3).
    'cflags': ['-std=c11', '-fno-thread-jumps', '-Wall', '-Wextra', '-Wno-unused-function', '-Wno-nonnull-compare', '-fvisibility=hidden'],
    'conditions': [
      ['OS!="win" and target_arch in "x64 arm64"', {
        'defines': ['HAVE___INT128=1', 'USE_FIELD_5X52=1', 'USE_SCALAR_4X64=1'],
      }, {
        'defines': ['USE_FIELD_10X26=1', 'USE_SCALAR_8X32=1'],
      }],
      ['OS!="win" and target_arch=="x64" and sanitize==0', {
        'defines': ['USE_ASM_X86_64=1'],
      }],
      ['sanitize==1', {
        # The library's own checks of what its functions take.
        'defines': ['VERIFY=1'],
        'cflags': ['-fsanitize=address,undefined', '-fno-sanitize-recover=undefined', '-fno-omit-frame-pointer', '-g', '-O1'],
        'ldflags': ['-fsanitize=address,undefined'],
      }],
    ],
  },
  'targets': [
    {
      'target_name': 'countersign_native',
      'sources': ['addon/addon.c', 'addon/arguments.c', 'addon/p256-keys.c', 'addon/secp256k1-keys.c', 'addon/sha256.c'],
    },
  ],
  'conditions': [
    ['secrets==1', {
      'targets': [
        {
          'target_name': 'secrets',
          'type': 'executable',
          'sources': ['test/secrets.c'],
          'include_dirs': ['addon'],
          # Names of functions and lines in the report. The code stays the same.
          'cflags': ['-g'],
        },
      ],
    }],
  ],
}
